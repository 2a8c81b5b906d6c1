/* SPDX-License-Identifier: BSD-2-Clause */
/* What a connection hands to its reader, of the segments that came. */
#include "port/lwip/lwip.h"
#include "tests/unit.h"
#include "tests/world/clock.h"

#include <lwip/priv/tcp_priv.h>
#include <string.h>

static struct lwnet net;
static struct sock sock;
static unsigned char buf[32];
static unsigned sent; /* the last byte that came */

static int send_none(struct nbd_ether *e, const struct nbd_iov v[], unsigned n)
{
	(void)e, (void)v, (void)n;
	return 0;
}

static int receive_none(struct nbd_ether *e, void *to, size_t cap)
{
	(void)e, (void)to, (void)cap;
	return 0;
}

static struct nbd_ether ether = { .mtu = 1500,
				  .send = send_none,
				  .receive = receive_none };

static struct tcp_pcb *pcb(void)
{
	return net.links[sock.fd].pcb;
}

static void free_frame(struct pbuf *p)
{
	lwnet_frame_free((struct lwnet_frame *)p);
}

/* len bytes in a frame: each is one more than the one before it */
static struct pbuf *piece(unsigned len)
{
	struct lwnet_frame *f = net.free;

	net.free = f->next;
	f->p.custom_free_function = free_frame;
	for (unsigned i = 0; i < len; i++)
		f->data[i] = (unsigned char)++sent;
	return pbuf_alloced_custom(PBUF_RAW, (u16_t)len, PBUF_REF, &f->p,
				   f->data, (u16_t)len);
}

static void comes(struct pbuf *p)
{
	struct tcp_pcb *c = pcb();

	if (p) {
		c->rcv_wnd = (tcpwnd_size_t)(c->rcv_wnd - p->tot_len);
		c->rcv_nxt += p->tot_len;
	}
	assert_int_equal(c->recv(c->callback_arg, c, p, ERR_OK), ERR_OK);
}

/* A read of len gives `want` bytes, from `from` on, and touches no other. */
static void reads(size_t len, int want, unsigned from)
{
	memset(buf, 0xee, sizeof(buf));
	assert_int_equal(sock.t.read(&sock.t, buf, len), want);
	for (unsigned i = 0; i < sizeof(buf); i++)
		assert_int_equal(buf[i], (int)i < want ? from + i : 0xee);
}

static unsigned free_frames(void)
{
	unsigned n = 0;

	for (const struct lwnet_frame *f = net.free; f; f = f->next)
		n++;
	return n;
}

static int begin(void **state)
{
	struct lwnet_config c = { .ip4.ip = { 4, 24, { 10, 0, 0, 2 } } };
	const struct sock_addr a = { .host = { 4, 32, { 10, 0, 0, 1 } },
				     .port = 10809 };
	struct tcp_pcb *p;

	(void)state;
	sent = 0;
	assert_int_equal(lwnet_open(&net, &ether, &c), 0);
	lwnet_poll(&net);
	assert_int_equal(net.stack.connect(&net.stack, &sock, &a), NBD_E_AGAIN);
	p = pcb();
	p->state = ESTABLISHED;
	assert_int_equal(p->connected(p->callback_arg, p, ERR_OK), ERR_OK);
	return 0;
}

static int end(void **state)
{
	(void)state;
	sock.t.close(&sock.t);
	assert_int_equal(free_frames(), CONFIG_PORT_LWIP_FRAMES);
	lwnet_close(&net, 0);
	return 0;
}

static void nothing_is_there_before_a_segment(void **state)
{
	(void)state;
	reads(8, NBD_E_AGAIN, 0);
}

static void a_read_ends_within_the_second_segment(void **state)
{
	(void)state;
	comes(piece(6));
	comes(piece(6));
	reads(10, 10, 1);
	reads(10, 2, 11);
	reads(10, NBD_E_AGAIN, 0);
}

static void a_segment_may_have_several_pieces(void **state)
{
	struct pbuf *p = piece(5);

	(void)state;
	pbuf_cat(p, piece(4));
	pbuf_cat(p, piece(3));
	comes(p);
	comes(piece(2));
	reads(3, 3, 1);
	reads(7, 7, 4);
	reads(9, 4, 11);
}

static void the_window_opens_by_what_was_read(void **state)
{
	tcpwnd_size_t all = pcb()->rcv_wnd;

	(void)state;
	comes(piece(20));
	assert_int_equal(pcb()->rcv_wnd, all - 20);
	reads(15, 15, 1);
	assert_int_equal(pcb()->rcv_wnd, all - 5);
	reads(15, 5, 16);
	assert_int_equal(pcb()->rcv_wnd, all);
}

static void the_end_comes_behind_the_data(void **state)
{
	(void)state;
	comes(piece(6));
	comes(NULL);
	reads(4, 4, 1);
	reads(4, 2, 5);
	reads(4, 0, 0);
}

static void an_error_comes_behind_the_data(void **state)
{
	struct tcp_pcb *p = pcb();

	(void)state;
	comes(piece(6));
	tcp_abort(p); /* calls the function for errors */
	reads(4, 4, 1);
	reads(4, 2, 5);
	reads(4, NBD_E_TIMEOUT, 0);
}

/* What is closed with data that nobody has read gives its frames back: end(). */
static void what_nobody_reads_is_given_back(void **state)
{
	struct pbuf *p = piece(8);

	(void)state;
	pbuf_cat(p, piece(8));
	comes(p);
	comes(piece(8));
	reads(9, 9, 1);
}

/* ---- several connections of a disk ---- */

#define LINKS 4

/* As in begin(), and nobody acknowledges what is written. */
static void establish(struct sock *s)
{
	const struct sock_addr a = { .host = { 4, 32, { 10, 0, 0, 1 } },
				     .port = 10809 };
	struct tcp_pcb *p;

	assert_int_equal(net.stack.connect(&net.stack, s, &a), NBD_E_AGAIN);
	p = net.links[s->fd].pcb;
	p->state = ESTABLISHED;
	assert_int_equal(p->connected(p->callback_arg, p, ERR_OK), ERR_OK);
}

static size_t fill(struct sock *s)
{
	static char data[4096];
	const struct nbd_iov v = { data, sizeof(data) };
	size_t done = 0;
	int n;

	while ((n = s->t.write(&s->t, &v, 1)) > 0)
		done += (size_t)n;
	assert_int_equal(n, NBD_E_AGAIN);
	return done;
}

static unsigned connections(void)
{
	unsigned n = 0;

	for (const struct tcp_pcb *p = tcp_active_pcbs; p; p = p->next)
		n++;
	return n;
}

static void what_closed_connections_hold_goes_to_new_ones(void **state)
{
	static void *rest[MEM_SIZE / 16];
	struct sock silent[LINKS];
	unsigned n = 0;

	(void)state;
	sock.t.close(&sock.t);
	for (unsigned i = 0; i < LINKS; i++) {
		establish(&silent[i]);
		fill(&silent[i]);
	}
	for (unsigned i = 0; i < LINKS; i++)
		silent[i].t.close(&silent[i].t);
	while ((rest[n] = mem_malloc(16)))
		n++;
	establish(&sock);
	while (n)
		mem_free(rest[--n]);
	assert_int_equal(fill(&sock), TCP_SND_BUF);
	assert_int_equal(connections(), 1);
}

/* Whoever completes connections, and then loses what they send. */
static void closed_connections_make_room_for_new_ones(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * MEMP_NUM_TCP_PCB; i++) {
		sock.t.close(&sock.t);
		establish(&sock);
	}
	assert_in_range(connections(), 1, MEMP_NUM_TCP_PCB);
}

/* A server should hear the goodbye, not a reset. */
static void a_goodbye_stays_where_there_is_memory(void **state)
{
	static char goodbye[28];
	const struct nbd_iov v = { goodbye, sizeof(goodbye) };

	(void)state;
	assert_int_equal(sock.t.write(&sock.t, &v, 1), sizeof(goodbye));
	sock.t.close(&sock.t);
	establish(&sock);
	assert_int_equal(fill(&sock), TCP_SND_BUF);
	assert_int_equal(connections(), 2);
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(nothing_is_there_before_a_segment),
		T(a_read_ends_within_the_second_segment),
		T(a_segment_may_have_several_pieces),
		T(the_window_opens_by_what_was_read),
		T(the_end_comes_behind_the_data),
		T(an_error_comes_behind_the_data),
		T(what_nobody_reads_is_given_back),
		T(what_closed_connections_hold_goes_to_new_ones),
		T(closed_connections_make_room_for_new_ones),
		T(a_goodbye_stays_where_there_is_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
