/* SPDX-License-Identifier: BSD-2-Clause */
/* The virtio-net driver, with a device that may lie. */
#include "tests/unit.h"

/* Registers that answer like a device, instead of port/metal/mmio.h. */
#define PORT_METAL_MMIO_H
static uint32_t mmio_get(const volatile uint32_t *at);
static void mmio_put(volatile uint32_t *at, uint32_t value);
#include "port/metal/virtio_net.c"
#include "port/virtio.c"

static struct device {
	uint32_t id, version, high, low, queue_max, status, sel, queue;
	uint32_t accepted; /* features in the low word */
	uint64_t at[2][3]; /* addresses of each queue */
	bool ready[2], refuses;
	unsigned notified[2];
	unsigned reads, sends_at; /* of the status: it returns a frame then */
	unsigned slow, resets; /* reads that a reset takes, and that are left */
} dev;
static uint32_t regs[VIRTIO_MMIO_SIZE / 4];
static struct virtio_mmio device;
#define net (device.net)

static void give(unsigned queue, uint32_t id, uint32_t len);

static uint32_t mmio_get(const volatile uint32_t *at)
{
	switch (at - regs) {
	case MAGIC:
		return MAGIC_VIRT;
	case VERSION:
		return dev.version;
	case DEVICE_ID:
		return dev.id;
	case VIRTIO_DEVICE_FEATURES:
		return dev.sel ? dev.high : dev.low;
	case VIRTIO_QUEUE_NUM_MAX:
		return dev.queue_max;
	case VIRTIO_QUEUE_READY:
		return dev.ready[dev.queue];
	case VIRTIO_STATUS:
		if (dev.resets) {
			dev.resets--;
			return DRIVER_OK;
		}
		if (++dev.reads == dev.sends_at)
			give(TX, 0, 0);
		return dev.refuses ? dev.status & ~FEATURES_OK : dev.status;
	case VIRTIO_CONFIG_MAC:
		return 0x12005452;
	case VIRTIO_CONFIG_STATUS:
		return 0x00015634;
	}
	return 0;
}

static void put_half(uint64_t *to, unsigned half, uint32_t value)
{
	*to |= (uint64_t)value << 32 * half;
}

static void mmio_put(volatile uint32_t *reg, uint32_t value)
{
	unsigned at = (unsigned)(reg - regs);

	switch (at) {
	case VIRTIO_DEVICE_FEATURES_SEL:
		dev.sel = value;
		break;
	case VIRTIO_DRIVER_FEATURES_SEL:
		dev.sel = value;
		break;
	case VIRTIO_DRIVER_FEATURES:
		if (!dev.sel)
			dev.accepted = value;
		break;
	case VIRTIO_QUEUE_SEL:
		dev.queue = value;
		break;
	case VIRTIO_QUEUE_READY:
		dev.ready[dev.queue] = value;
		break;
	case VIRTIO_QUEUE_NOTIFY:
		dev.notified[value]++;
		break;
	case VIRTIO_STATUS:
		assert_int_equal(dev.resets, 0);
		dev.resets = value ? 0 : dev.slow;
		dev.status = value;
		break;
	}
	if (at >= VIRTIO_QUEUE_DESC && at < VIRTIO_QUEUE_DEVICE + 2)
		put_half(&dev.at[dev.queue][(at - VIRTIO_QUEUE_DESC) / 4],
			 at % 2, value);
}

static const struct device good = {
	.id = 1, .version = 2, .low = ~0u, .high = ~0u, .queue_max = 1024
};

static int open_device(void)
{
	return virtio_mmio_open(&device, regs, NULL);
}

static int setup(void **state)
{
	(void)state;
	dev = good;
	assert_int_equal(open_device(), 0);
	return 0;
}

static struct virtio_used *used(unsigned queue)
{
	return (struct virtio_used *)(uintptr_t)dev.at[queue][2];
}

/* The device returns buffer id with len bytes in it. */
static void give(unsigned queue, uint32_t id, uint32_t len)
{
	struct virtio_used *u = used(queue);

	u->ring[u->idx % VIRTIO_BUFFERS].id = id;
	u->ring[u->idx % VIRTIO_BUFFERS].len = len;
	u->idx++;
}

static unsigned char *buffer(uint32_t id)
{
	struct virtio_desc *desc =
		(struct virtio_desc *)(uintptr_t)dev.at[RX][0];

	assert_in_range(desc[id].len, 1, VIRTIO_BUFFER);
	return (unsigned char *)(uintptr_t)desc[id].addr;
}

/* The start of a frame that fills n buffers: len bytes, each of them `byte`. */
static void start(uint32_t id, unsigned n, unsigned flags, uint32_t len,
		  int byte)
{
	unsigned char *p = buffer(id);

	memset(p, 0, VIRTIO_HEADER);
	p[HEADER_FLAGS] = (unsigned char)flags;
	p[HEADER_BUFFERS] = (unsigned char)n;
	p[HEADER_BUFFERS + 1] = (unsigned char)(n >> 8);
	memset(p + VIRTIO_HEADER, byte, len);
	give(RX, id, len + VIRTIO_HEADER);
}

static void go_on(uint32_t id, uint32_t len, int byte)
{
	memset(buffer(id), byte, len);
	give(RX, id, len);
}

static void frame(uint32_t id, uint32_t len, int byte)
{
	start(id, 1, 0, len, byte);
}

static int receive(void *buf, size_t cap)
{
	return net.ether.receive(&net.ether, buf, cap);
}

static int send(size_t len)
{
	static char bytes[4096];
	struct nbd_iov v[2] = { { bytes, 14 }, { bytes, len - 14 } };

	return net.ether.send(&net.ether, v, 2);
}

static void a_device_is_set_up(void **state)
{
	static const unsigned char mac[6] = { 0x52, 0x54, 0, 0x12, 0x34, 0x56 };

	(void)state;
	assert_memory_equal(net.ether.mac, mac, 6);
	assert_int_equal(net.ether.mtu, 1500);
	assert_true(net.ether.link(&net.ether));
	assert_int_equal(dev.status,
			 ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK);
	assert_true(dev.ready[RX] && dev.ready[TX]);
	assert_int_equal(net.rx.avail.idx, VIRTIO_BUFFERS);
	assert_int_equal(net.tx.avail.idx, 0);
	assert_int_equal(dev.notified[RX], 1);
}

/* Until the status says so, one of hardware may write to memory (4.1.4.3.2). */
static void the_end_of_a_reset_is_awaited(void **state)
{
	(void)state;
	dev = good;
	dev.slow = 5;
	assert_int_equal(open_device(), 0);
	assert_int_equal(dev.status,
			 ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK);
	virtio_net_stop(&net);
	assert_int_equal(dev.resets, 0);
	assert_int_equal(dev.status, 0);
	/* one that never ends */
	dev = good;
	dev.slow = ~0u;
	assert_int_equal(virtio_net_start(&net), NBD_E_IO);
}

static void what_is_no_usable_device_is_refused(void **state)
{
	(void)state;
	dev = good;
	dev.id = 2;
	assert_int_equal(open_device(), NBD_E_NO_DEVICE);
	dev = good;
	dev.version = 1;
	assert_int_equal(open_device(), NBD_E_IO);
	dev = good;
	dev.high = 0;
	assert_int_equal(open_device(), NBD_E_IO);
	assert_int_equal(dev.status, FAILED);
	dev = good;
	dev.low &= ~F_MAC;
	assert_int_equal(open_device(), NBD_E_IO);
	dev = good;
	dev.refuses = true;
	assert_int_equal(open_device(), NBD_E_IO);
	dev = good;
	dev.queue_max = VIRTIO_BUFFERS - 1;
	assert_int_equal(open_device(), NBD_E_IO);
}

/* The device was reset, and nothing works any more. */
static void assert_given_up(void)
{
	unsigned char buf[VIRTIO_BUFFER];

	assert_int_equal(dev.status, 0);
	assert_int_equal(receive(buf, sizeof(buf)), NBD_E_IO);
	assert_int_equal(send(60), NBD_E_IO);
	assert_false(net.ether.link(&net.ether));
}

/* In a virtual machine a notification costs more than a frame. */
static void a_device_is_notified_if_it_asks(void **state)
{
	unsigned char buf[100];

	(void)state;
	for (unsigned asks = 0; asks < 2; asks++) {
		used(RX)->flags = used(TX)->flags = !asks;
		frame(asks, 60, 1);
		assert_int_equal(receive(buf, sizeof(buf)), 60);
		assert_int_equal(send(60), 0);
		assert_int_equal(dev.notified[RX], 1 + asks);
		assert_int_equal(dev.notified[TX], asks);
	}
	frame(2, sizeof(buf) + 1,
	      1); /* is dropped, and its buffer lent again */
	assert_int_equal(receive(buf, sizeof(buf)), 0);
	assert_int_equal(dev.notified[RX], 3);
}

static void the_last_frames_leave_before_the_end(void **state)
{
	(void)state;
	assert_int_equal(send(60), 0);
	dev.reads = 0;
	dev.sends_at = 3;
	virtio_net_stop(&net);
	/* and one that says that it is reset */
	assert_int_equal(dev.reads, 4);
	assert_given_up();
	setup(state);
	assert_int_equal(send(60), 0);
	virtio_net_stop(&net);
	assert_given_up();
}

static void frames_come_in_order_for_ever(void **state)
{
	unsigned char buf[VIRTIO_BUFFER];

	(void)state;
	for (unsigned i = 0; i < 70000; i++) {
		assert_int_equal(receive(buf, sizeof(buf)), 0);
		frame(i % VIRTIO_BUFFERS, 60 + i % 1000, (int)(i & 0xff));
		assert_int_equal(receive(buf, sizeof(buf)), 60 + i % 1000);
		assert_int_equal(buf[0], i & 0xff);
		assert_int_equal(buf[59 + i % 1000], i & 0xff);
	}
	assert_int_equal(net.rx.avail.idx, (uint16_t)(70000 + VIRTIO_BUFFERS));
}

static void a_frame_that_is_too_long_is_dropped(void **state)
{
	unsigned char buf[100];

	(void)state;
	frame(5, 101, 1);
	frame(6, 100, 2);
	assert_int_equal(receive(buf, sizeof(buf)), 0);
	assert_int_equal(receive(buf, sizeof(buf)), 100);
	assert_int_equal(buf[99], 2);
	assert_int_equal(net.rx.avail.idx, VIRTIO_BUFFERS + 2);
}

static void assert_piece(uint32_t len, int flags, int byte)
{
	unsigned char buf[NBD_ETHER_PIECE];

	assert_int_equal(receive(buf, sizeof(buf)), (int)len | flags);
	assert_int_equal(buf[0], byte);
	assert_int_equal(buf[len - 1], byte);
}

static void a_long_frame_comes_in_pieces(void **state)
{
	const int more = NBD_ETHER_MORE | NBD_ETHER_VERIFIED;

	(void)state;
	assert_int_equal(dev.accepted & F_LONG, F_LONG);
	start(9, 3, HEADER_NEEDS_CSUM, VIRTIO_BUFFER - VIRTIO_HEADER, 1);
	go_on(7, VIRTIO_BUFFER, 2);
	go_on(8, 3, 3);
	start(6, 2, 0, 100, 4);
	go_on(5, 1, 5);
	start(4, 1, HEADER_DATA_VALID, 60, 6);
	frame(3, 60, 7);
	assert_piece(VIRTIO_BUFFER - VIRTIO_HEADER, more, 1);
	assert_piece(VIRTIO_BUFFER, more, 2);
	assert_piece(3, NBD_ETHER_VERIFIED, 3);
	assert_piece(100, NBD_ETHER_MORE, 4);
	assert_piece(1, 0, 5);
	assert_piece(60, NBD_ETHER_VERIFIED, 6);
	assert_piece(60, 0, 7);
	assert_int_equal(net.rx.avail.idx, VIRTIO_BUFFERS + 7);
}

/* A part of the features is no use, and a header means nothing without them. */
static void long_frames_are_all_or_nothing(void **state)
{
	static const uint32_t lacks[] = { F_GUEST_CSUM, F_GUEST_TSO4,
					  F_GUEST_TSO6, F_MRG_RXBUF };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(lacks); i++) {
		dev = good;
		dev.low &= ~lacks[i];
		assert_int_equal(open_device(), 0);
		assert_int_equal(dev.accepted, F_MAC | F_STATUS);
		start(1, 0, HEADER_NEEDS_CSUM, 60, 1);
		assert_piece(60, 0, 1);
	}
}

static void a_frame_whose_pieces_are_not_there_is_a_lie(void **state)
{
	unsigned char buf[NBD_ETHER_PIECE];

	start(1, 0, 0, 60, 1);
	assert_int_equal(receive(buf, sizeof(buf)), NBD_E_IO);
	assert_given_up();
	setup(state);
	start(1, 2, 0, 60, 1);
	assert_piece(60, NBD_ETHER_MORE, 1);
	assert_int_equal(receive(buf, sizeof(buf)), NBD_E_IO);
	assert_given_up();
}

static void a_full_queue_asks_to_try_again(void **state)
{
	(void)state;
	for (unsigned i = 0; i < VIRTIO_BUFFERS; i++)
		assert_int_equal(send(60), 0);
	assert_int_equal(send(60), NBD_E_AGAIN);
	/* buffers are used in order, whatever comes back first */
	give(TX, 1, 0);
	assert_int_equal(send(60), NBD_E_AGAIN);
	give(TX, 0, 0);
	assert_int_equal(send(1514), 0);
	assert_int_equal(net.tx.avail.ring[0], 0);
	assert_int_equal(net.tx.desc[0].len, VIRTIO_HEADER + 1514);
	assert_int_equal(send(60), 0);
	assert_int_equal(send(60), NBD_E_AGAIN);
	give(TX, 2, 0);
	assert_int_equal(send(VIRTIO_BUFFER - VIRTIO_HEADER + 1), NBD_E_PARAM);
}

static void a_device_that_lies_is_given_up(void **state)
{
	static const struct {
		uint32_t id, len;
	} lies[] = {
		{ VIRTIO_BUFFERS, 100 },  { 0xffffffff, 100 },
		{ 0, VIRTIO_BUFFER + 1 }, { 0, 0xffffffff },
		{ 0, VIRTIO_HEADER - 1 },
	};
	unsigned char buf[VIRTIO_BUFFER];

	for (unsigned i = 0; i < ARRAY_SIZE(lies); i++) {
		setup(state);
		/* all else is right: the header of a frame */
		start(0, 1, 0, 60, 1);
		used(RX)->idx--;
		give(RX, lies[i].id, lies[i].len);
		assert_int_equal(receive(buf, sizeof(buf)), NBD_E_IO);
		assert_given_up();
	}
	setup(state);
	give(TX, 0, 0);
	assert_int_equal(send(60), NBD_E_IO);
	assert_given_up();
}

/* As when the index of the used ring moves on without a reason. */
static void a_buffer_that_comes_back_twice_is_a_lie(void **state)
{
	(void)state;
	assert_int_equal(send(60), 0);
	give(TX, 0, 0);
	give(TX, 0, 0);
	assert_int_equal(send(60), NBD_E_IO);
	assert_given_up();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_device_is_set_up, setup),
		cmocka_unit_test(the_end_of_a_reset_is_awaited),
		cmocka_unit_test(what_is_no_usable_device_is_refused),
		cmocka_unit_test_setup(a_device_is_notified_if_it_asks, setup),
		cmocka_unit_test_setup(the_last_frames_leave_before_the_end,
				       setup),
		cmocka_unit_test_setup(frames_come_in_order_for_ever, setup),
		cmocka_unit_test_setup(a_frame_that_is_too_long_is_dropped,
				       setup),
		cmocka_unit_test_setup(a_long_frame_comes_in_pieces, setup),
		cmocka_unit_test(long_frames_are_all_or_nothing),
		cmocka_unit_test_setup(
			a_frame_whose_pieces_are_not_there_is_a_lie, setup),
		cmocka_unit_test_setup(a_full_queue_asks_to_try_again, setup),
		cmocka_unit_test(a_device_that_lies_is_given_up),
		cmocka_unit_test_setup(a_buffer_that_comes_back_twice_is_a_lie,
				       setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
