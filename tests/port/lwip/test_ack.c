/* SPDX-License-Identifier: BSD-2-Clause */
/* Which acknowledgements without data are sent, and when. */
#include "port/lwip/lwip.h"
#include "tests/unit.h"
#include "tests/world/clock.h"

#include <lwip/prot/tcp.h>
#include <string.h>

#define LEN (NBD_ETHER_HEADER + 40)

static struct lwnet net;
static struct {
	bool full;  /* the interface has no room */
	unsigned n; /* acknowledgements that were sent */
	unsigned char last[LEN];
} out;

static int send_frame(struct nbd_ether *e, const struct nbd_iov v[], unsigned n)
{
	(void)e;
	if (out.full)
		return NBD_E_AGAIN;
	if (n == 1 && v->len == LEN) {
		out.n++;
		memcpy(out.last, v->base, LEN);
	}
	return 0;
}

static int receive_none(struct nbd_ether *e, void *buf, size_t cap)
{
	(void)e, (void)buf, (void)cap;
	return 0;
}

static struct nbd_ether ether = { .mtu = 1500,
				  .send = send_frame,
				  .receive = receive_none };

/* What lwIP sends: the port names a connection, words are single bytes. */
static void ack(unsigned port, unsigned number, unsigned window)
{
	unsigned char f[LEN] = { [12] = 8, [14] = 0x45, [17] = 40,
				 [23] = 6, [46] = 0x50, [47] = TCP_ACK };
	struct netif *i = &net.netif;
	struct pbuf *p = pbuf_alloc(PBUF_RAW, LEN, PBUF_RAM);

	f[35] = (unsigned char)port;
	f[45] = (unsigned char)number;
	f[49] = (unsigned char)window;
	memcpy(p->payload, f, LEN);
	assert_int_equal(i->linkoutput(i, p), ERR_OK);
	pbuf_free(p);
}

static void assert_sent(unsigned n, unsigned number, unsigned window)
{
	assert_int_equal(out.n, n);
	assert_int_equal(out.last[45], number);
	assert_int_equal(out.last[49], window);
}

static int begin(void **state)
{
	struct lwnet_config c = { .ip4.ip = { 4, 24, { 10, 0, 0, 2 } } };

	(void)state;
	assert_int_equal(lwnet_open(&net, &ether, &c), 0);
	lwnet_poll(&net);
	memset(&out, 0, sizeof(out));
	return 0;
}

static int end(void **state)
{
	(void)state;
	lwnet_close(&net, 0);
	return 0;
}

static void a_later_one_replaces_it(void **state)
{
	(void)state;
	ack(1, 10, 1);
	ack(1, 20, 1);
	assert_int_equal(out.n, 0);
	lwnet_flush_ack(&net);
	assert_sent(1, 20, 1);
	lwnet_flush_ack(&net);
	assert_int_equal(out.n, 1);
}

static void one_that_opens_the_window_replaces_it(void **state)
{
	(void)state;
	ack(1, 10, 1);
	ack(1, 10, 2);
	lwnet_flush_ack(&net);
	assert_sent(1, 10, 2);
}

static void the_server_can_count_repeated_ones(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		ack(1, 10, 1);
	lwnet_flush_ack(&net);
	assert_sent(4, 10, 1);
}

static void one_of_another_connection_replaces_nothing(void **state)
{
	(void)state;
	ack(1, 10, 1);
	ack(2, 20, 1);
	assert_sent(1, 10, 1);
	lwnet_flush_ack(&net);
	assert_sent(2, 20, 1);
}

static void the_next_poll_sends_it(void **state)
{
	(void)state;
	ack(1, 10, 1);
	lwnet_poll(&net);
	assert_sent(1, 10, 1);
}

static void without_room_it_waits_for_the_next_poll(void **state)
{
	(void)state;
	ack(1, 10, 1);
	out.full = true;
	lwnet_poll(&net);
	out.full = false;
	assert_int_equal(out.n, 0);
	lwnet_poll(&net);
	assert_sent(1, 10, 1);
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_later_one_replaces_it),
		T(one_that_opens_the_window_replaces_it),
		T(the_server_can_count_repeated_ones),
		T(one_of_another_connection_replaces_nothing),
		T(the_next_poll_sends_it),
		T(without_room_it_waits_for_the_next_poll),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
