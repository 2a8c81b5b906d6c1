/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of several pieces, and frames whose checksums a device has verified. */
#include "port/lwip/lwip.h"
#include "tests/unit.h"
#include "tests/world/clock.h"

#include <lwip/udp.h>
#include <netif/ethernet.h>
#include <string.h>

static struct lwnet net;

/* What the driver returns: the length and flags, and the byte it is filled with. */
static struct {
	struct {
		int got;
		const unsigned char *bytes; /* NULL: fill */
		int fill;
	} next[1024];
	unsigned n, at;
} driver;

/* What lwIP was given last. */
static struct {
	unsigned n, len, flags;
	unsigned char bytes[UINT16_MAX];
} in;

static int send_none(struct nbd_ether *e, const struct nbd_iov v[], unsigned n)
{
	(void)e, (void)v, (void)n;
	return 0;
}

static int receive(struct nbd_ether *e, void *buf, size_t cap)
{
	unsigned i = driver.at;
	int got;

	(void)e;
	assert_true(cap >= NBD_ETHER_PIECE);
	if (i == driver.n)
		return 0;
	driver.at++;
	got = driver.next[i].got;
	if (got > 0 && driver.next[i].bytes)
		memcpy(buf, driver.next[i].bytes, got & NBD_ETHER_LENGTH);
	else if (got > 0)
		memset(buf, driver.next[i].fill, got & NBD_ETHER_LENGTH);
	return got;
}

static err_t record(struct pbuf *p, struct netif *netif)
{
	in.n++;
	in.len = p->tot_len;
	in.flags = netif->chksum_flags;
	assert_int_equal(pbuf_copy_partial(p, in.bytes, p->tot_len, 0), in.len);
	pbuf_free(p);
	return ERR_OK;
}

static int begin(void **state)
{
	static struct nbd_ether ether = { .mtu = 1500,
					  .mac = { 2, 0, 0, 0, 0, 2 },
					  .send = send_none,
					  .receive = receive };
	struct lwnet_config c = { .ip4.ip = { 4, 24, { 10, 0, 0, 2 } } };

	(void)state;
	memset(&driver, 0, sizeof(driver));
	memset(&in, 0, sizeof(in));
	assert_int_equal(lwnet_open(&net, &ether, &c), 0);
	net.netif.input = record;
	return 0;
}

static unsigned free_frames(void)
{
	unsigned n = 0;

	for (const struct lwnet_frame *f = net.free; f; f = f->next)
		n++;
	return n;
}

static int end(void **state)
{
	(void)state;
	assert_int_equal(free_frames(), CONFIG_PORT_LWIP_FRAMES);
	lwnet_close(&net, 0);
	return 0;
}

static void comes(int got, int fill)
{
	driver.next[driver.n].got = got;
	driver.next[driver.n++].fill = fill;
}

static void a_frame_is_put_together(void **state)
{
	(void)state;
	comes((NBD_ETHER_PIECE - 12) | NBD_ETHER_MORE, 1);
	comes(NBD_ETHER_PIECE | NBD_ETHER_MORE, 2);
	comes(1, 3);
	assert_int_equal(lwnet_receive(&net), 1);
	assert_int_equal(in.len, 2 * NBD_ETHER_PIECE - 11);
	assert_int_equal(in.bytes[NBD_ETHER_PIECE - 13], 1);
	assert_int_equal(in.bytes[NBD_ETHER_PIECE - 12], 2);
	assert_int_equal(in.bytes[in.len - 2], 2);
	assert_int_equal(in.bytes[in.len - 1], 3);
	assert_int_equal(in.flags, NETIF_CHECKSUM_ENABLE_ALL);
	comes(60, 4);
	comes(61, 5);
	assert_int_equal(lwnet_receive(&net), 2);
	assert_int_equal(in.n, 3);
	assert_int_equal(in.len, 61);
	assert_int_equal(net.count.dropped, 0);
}

static void only_a_verified_frame_is_not_checked(void **state)
{
	(void)state;
	comes(60 | NBD_ETHER_VERIFIED, 1);
	lwnet_receive(&net);
	assert_int_equal(in.flags, NETIF_CHECKSUM_ENABLE_ALL &
					   ~(NETIF_CHECKSUM_CHECK_UDP |
					     NETIF_CHECKSUM_CHECK_TCP));
	comes(60, 1);
	lwnet_receive(&net);
	assert_int_equal(in.flags, NETIF_CHECKSUM_ENABLE_ALL);
}

/* lwIP counts to 65535; a virtual machine's host may send a little more. */
static void a_frame_that_is_too_long_is_dropped(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 63; i++)
		comes(1024 | NBD_ETHER_MORE, 1);
	comes(1023, 1);
	assert_int_equal(lwnet_receive(&net), 1);
	assert_int_equal(in.len, UINT16_MAX);
	for (unsigned i = 0; i < 64; i++)
		comes(1024 | NBD_ETHER_MORE, 1);
	comes(60, 1);
	comes(61, 2);
	assert_int_equal(lwnet_receive(&net), 2);
	assert_int_equal(in.n, 2);
	assert_int_equal(in.len, 61);
	assert_int_equal(net.count.dropped, 1);
}

static void
a_frame_of_more_pieces_than_there_is_room_for_is_dropped(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CONFIG_PORT_LWIP_FRAMES + 10; i++)
		comes(1 | NBD_ETHER_MORE, 1);
	comes(1, 1);
	comes(61, 2);
	assert_int_equal(lwnet_receive(&net), 2);
	assert_int_equal(in.n, 1);
	assert_int_equal(in.len, 61);
	assert_int_equal(net.count.dropped, 1);
}

static void a_driver_that_fails_in_a_frame_loses_it(void **state)
{
	(void)state;
	comes(60 | NBD_ETHER_MORE, 1);
	comes(NBD_E_IO, 0);
	assert_int_equal(lwnet_receive(&net), 0);
	assert_int_equal(in.n, 0);
	assert_int_equal(net.count.dropped, 1);
}

/* ---- a wrong checksum ---- */

static unsigned heard;

static void hear(void *arg, struct udp_pcb *pcb, struct pbuf *p,
		 const ip_addr_t *addr, u16_t port)
{
	(void)arg, (void)pcb, (void)addr, (void)port;
	heard++;
	pbuf_free(p);
}

static void a_wrong_checksum_counts_unless_it_was_verified(void **state)
{
	/* to 10.0.0.2, port 7; the checksum of UDP is wrong */
	static const unsigned char frame[60] = {
		2,    0, 0,  0,	 0, 2, 2, 0, 0,	 0,  0,	   1,	 8,    0,
		0x45, 0, 0,  30, 0, 0, 0, 0, 64, 17, 0x66, 0xcd, 10,   0,
		0,    1, 10, 0,	 0, 2, 0, 7, 0,	 7,  0,	   10,	 0x12, 0x34,
	};
	const int got[] = { 60, 60 | NBD_ETHER_VERIFIED, 60 };
	struct udp_pcb *pcb = udp_new();

	(void)state;
	net.netif.input = ethernet_input;
	assert_int_equal(udp_bind(pcb, IP_ADDR_ANY, 7), ERR_OK);
	udp_recv(pcb, hear, NULL);
	for (unsigned i = 0; i < ARRAY_SIZE(got); i++) {
		driver.next[driver.n].bytes = frame;
		comes(got[i], 0);
		lwnet_receive(&net);
		assert_int_equal(heard, i > 0);
	}
	udp_remove(pcb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_frame_is_put_together, begin,
						end),
		cmocka_unit_test_setup_teardown(
			only_a_verified_frame_is_not_checked, begin, end),
		cmocka_unit_test_setup_teardown(
			a_frame_that_is_too_long_is_dropped, begin, end),
		cmocka_unit_test_setup_teardown(
			a_frame_of_more_pieces_than_there_is_room_for_is_dropped,
			begin, end),
		cmocka_unit_test_setup_teardown(
			a_driver_that_fails_in_a_frame_loses_it, begin, end),
		cmocka_unit_test_setup_teardown(
			a_wrong_checksum_counts_unless_it_was_verified, begin,
			end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
