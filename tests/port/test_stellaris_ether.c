/* SPDX-License-Identifier: BSD-2-Clause */
/* The Stellaris Ethernet driver, with FIFOs of a few frames. */
#include "tests/unit.h"

/* Registers that answer like a device, instead of port/metal/mmio.h. */
#define PORT_METAL_MMIO_H
static uint32_t mmio_get(const volatile uint32_t *at);
static void mmio_put(volatile uint32_t *at, uint32_t value);
#include "port/metal/stellaris_ether.c"

static struct device {
	uint32_t fifo[1024], sent[512];
	unsigned frames, in, out, n_sent, emptied, transmitted;
	uint32_t ris, busy;
} dev;
static uint32_t regs[0x40 / 4];
static struct stellaris_ether ether;

static uint32_t mmio_get(const volatile uint32_t *at)
{
	switch (at - regs) {
	case NP:
		return dev.frames;
	case RIS:
		return dev.ris;
	case TR:
		return dev.busy;
	case DATA:
		assert_in_range(dev.out, 0, 1023);
		return dev.fifo[dev.out++];
	}
	return 0;
}

static void mmio_put(volatile uint32_t *at, uint32_t value)
{
	regs[at - regs] = value;
	switch (at - regs) {
	case RCTL:
		dev.emptied += (value & RSTFIFO) != 0;
		break;
	case RIS:
		dev.ris &= ~value;
		break;
	case DATA:
		dev.sent[dev.n_sent++] = value;
		break;
	case TR:
		dev.transmitted++;
		break;
	}
}

/* What the device would put in front of a frame of len bytes, and the frame. */
static void come(unsigned len, unsigned char first)
{
	unsigned char bytes[2048] = { (unsigned char)(len + 6),
				      (unsigned char)((len + 6) >> 8) };

	for (unsigned i = 0; i < len; i++)
		bytes[2 + i] = (unsigned char)(first + i);
	memset(bytes + 2 + len, 0xcc, 4);
	memcpy(dev.fifo + dev.in, bytes, (len + 6 + 3) / 4 * 4);
	dev.in += (len + 6 + 3) / 4;
	dev.frames++;
}

static int setup(void **state)
{
	static const unsigned char mac[6] = { 2, 1, 2, 3, 4, 5 };

	(void)state;
	memset(&dev, 0, sizeof(dev));
	stellaris_ether_open(&ether, regs, mac);
	dev.emptied = 0;
	return 0;
}

static int take(void *buf, size_t cap)
{
	int rc = ether.ether.receive(&ether.ether, buf, cap);

	dev.frames -= dev.frames > 0;
	return rc;
}

static void the_address_is_set(void **state)
{
	(void)state;
	assert_int_equal(regs[IA0], 0x03020102);
	assert_int_equal(regs[IA1], 0x0504);
	assert_int_equal(regs[RCTL], RXEN | BADCRC);
}

static void frames_of_every_length_are_received(void **state)
{
	unsigned char buf[FRAME_MAX];

	for (unsigned len = FRAME_MIN; len <= FRAME_MAX; len++) {
		setup(state);
		come(len, 7);
		come(60, 99);
		assert_int_equal(take(buf, sizeof(buf)), len);
		for (unsigned i = 0; i < len; i++)
			assert_int_equal(buf[i], (unsigned char)(7 + i));
		/* the next one begins where it should */
		assert_int_equal(take(buf, sizeof(buf)), 60);
		assert_int_equal(buf[0], 99);
		assert_int_equal(dev.out, dev.in);
		assert_int_equal(take(buf, sizeof(buf)), 0);
	}
}

static void a_frame_that_is_too_long_is_dropped(void **state)
{
	unsigned char buf[100];

	(void)state;
	come(101, 1);
	come(100, 2);
	assert_int_equal(take(buf, sizeof(buf)), 100);
	assert_int_equal(buf[0], 2);
	assert_int_equal(dev.out, dev.in);
}

static void a_length_that_cannot_be_empties_the_fifo(void **state)
{
	static const uint32_t lengths[] = {
		0, 5, 6, FRAME_MIN + 5, FRAME_MAX + 7, 0xffff
	};
	unsigned char buf[4096];

	for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
		setup(state);
		dev.fifo[0] = lengths[i] | 0xaaaa0000;
		dev.frames = 63;
		assert_int_equal(take(buf, sizeof(buf)), 0);
		assert_int_equal(dev.emptied, 1);
		assert_int_equal(dev.out, 1);
	}
}

static void an_overflow_empties_the_fifo(void **state)
{
	unsigned char buf[100];

	(void)state;
	dev.ris = FOV;
	assert_int_equal(take(buf, sizeof(buf)), 0);
	assert_int_equal(dev.emptied, 1);
	assert_int_equal(dev.ris, 0);
}

static void a_frame_is_sent_however_it_is_split(void **state)
{
	unsigned char frame[200], sent[sizeof(dev.sent)];

	for (unsigned i = 0; i < sizeof(frame); i++)
		frame[i] = (unsigned char)(i * 3);
	for (unsigned split = 0; split <= 77; split++) {
		struct nbd_iov v[3] = { { frame, split },
					{ frame + split, 0 },
					{ frame + split, 77 - split } };

		setup(state);
		assert_int_equal(ether.ether.send(&ether.ether, v, 3), 0);
		memcpy(sent, dev.sent, sizeof(sent));
		assert_int_equal(sent[0] | sent[1] << 8, 77 - 14);
		assert_memory_equal(sent + 2, frame, 77);
		assert_int_equal(dev.n_sent, (77 + 2 + 3) / 4);
		assert_int_equal(dev.transmitted, 1);
	}
}

static void what_cannot_be_sent_is_refused(void **state)
{
	static unsigned char frame[FRAME_MAX + 1];
	struct nbd_iov v = { frame, sizeof(frame) };

	(void)state;
	assert_int_equal(ether.ether.send(&ether.ether, &v, 1), NBD_E_PARAM);
	v.len = FRAME_MIN - 1;
	assert_int_equal(ether.ether.send(&ether.ether, &v, 1), NBD_E_PARAM);
	v.len = SIZE_MAX;
	assert_int_equal(ether.ether.send(&ether.ether, &v, 1), NBD_E_PARAM);
	v.len = FRAME_MAX;
	dev.busy = NEWTX;
	assert_int_equal(ether.ether.send(&ether.ether, &v, 1), NBD_E_AGAIN);
	assert_int_equal(dev.n_sent, 0);
	dev.busy = 0;
	assert_int_equal(ether.ether.send(&ether.ether, &v, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_address_is_set, setup),
		cmocka_unit_test(frames_of_every_length_are_received),
		cmocka_unit_test_setup(a_frame_that_is_too_long_is_dropped,
				       setup),
		cmocka_unit_test(a_length_that_cannot_be_empties_the_fifo),
		cmocka_unit_test_setup(an_overflow_empties_the_fifo, setup),
		cmocka_unit_test(a_frame_is_sent_however_it_is_split),
		cmocka_unit_test_setup(what_cannot_be_sent_is_refused, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
