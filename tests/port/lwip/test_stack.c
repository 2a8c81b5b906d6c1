/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stack and a network made up here: frames are answered by functions, and the
 * clock goes on only while the stack waits.
 */
#include "port/lwip/lwip.h"
#include "tests/unit.h"
#include "tests/world/clock.h"

#include <string.h>

#define HEAD   NBD_ETHER_HEADER
#define DAY    (24 * 3600u)
#define RTO_MS 1000 /* until the round trip is known */

static struct {
	unsigned char out[8][600];
	size_t len[8];
	unsigned first, n; /* frames on their way to the stack */
	/* DHCP */
	bool silent;
	unsigned host, lease, acks, discovers; /* 10.0.0.host, s */
	/* DNS: of A, AAAA */
	unsigned rcode[2], asked[2], arps;
	bool cut;      /* answers say so, behind the first address */
	bool mangled;  /* the first answer to A ends in a record */
	unsigned late; /* ms that a wait takes at least */
	unsigned syns; /* of TCP, which nobody answers */
} w;
static struct lwnet net;
static unsigned char seed = 1; /* of the next start */
static uint32_t drawn;	       /* every random number, or 0: as they come */

uint32_t __real_lwnet_random(void);
uint32_t __wrap_lwnet_random(void);
uint32_t __wrap_lwnet_random(void)
{
	return drawn ? drawn : __real_lwnet_random();
}

/* ---- frames ---- */

static void put16(unsigned char *p, size_t v)
{
	p[0] = (unsigned char)(v >> 8);
	p[1] = (unsigned char)v;
}

static unsigned char *new_frame(const unsigned char *in, size_t len)
{
	unsigned i = (w.first + w.n) % 8;

	assert_true(w.n++ < 8 && len <= sizeof(w.out[i]));
	w.len[i] = len;
	memset(w.out[i], 0, len);
	memcpy(w.out[i], in + 6, 6);
	memcpy(w.out[i] + 6, "\2\0\0\0\0\x9", 6);
	memcpy(w.out[i] + 12, in + 12, 2);
	return w.out[i];
}

static void answer_arp(const unsigned char *in)
{
	unsigned char *p;

	/* of its own address, whether it is free */
	if (in[HEAD + 7] != 1 || in[HEAD + 27] != 1)
		return;
	w.arps++;
	p = new_frame(in, HEAD + 28) + HEAD;
	memcpy(p, in + HEAD, 8);
	p[7] = 2;
	memcpy(p + 8, "\2\0\0\0\0\x9", 6);
	memcpy(p + 14, in + HEAD + 24, 4);
	memcpy(p + 18, in + HEAD + 8, 10);
}

/* Ports are turned round; the payload has len bytes. */
static unsigned char *answer_udp(const unsigned char *in, size_t len)
{
	unsigned char *p = new_frame(in, HEAD + 28 + len), *ip = p + HEAD;
	uint32_t sum = 0;

	ip[0] = 0x45;
	put16(ip + 2, 28 + len);
	ip[8] = 64;
	ip[9] = 17;
	memcpy(ip + 12, "\xa\0\0\1", 4);
	memcpy(ip + 16, in + HEAD + 12, 4);
	if (!ip[16])
		memset(ip + 16, 0xff, 4);
	for (unsigned i = 0; i < 20; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	put16(ip + 10, ~((sum & 0xffff) + (sum >> 16)) & 0xffff);
	memcpy(ip + 20, in + HEAD + 22, 2);
	memcpy(ip + 22, in + HEAD + 20, 2);
	put16(ip + 24, 8 + len);
	return ip + 28;
}

static void answer_dhcp(const unsigned char *in)
{
	const unsigned char *q = in + HEAD + 28;
	const unsigned char type = q[242];
	unsigned char *m;

	w.discovers += type == 1;
	if (w.silent || (type != 1 && type != 3))
		return;
	w.acks += type == 3;
	m = answer_udp(in, 280);
	memcpy(m, q, 44);
	m[0] = 2;
	memcpy(m + 16, "\xa\0\0", 3);
	m[19] = (unsigned char)w.host;
	memcpy(m + 236, "\x63\x82\x53\x63\x35\1", 6);
	m[242] = type == 1 ? 2 : 5;
	memcpy(m + 243,
	       "\x36\4\xa\0\0\1\1\4\xff\xff\xff\0\3\4\xa\0\0\1"
	       "\6\4\xa\0\0\1\x33\4",
	       26);
	put16(m + 269, w.lease >> 16);
	put16(m + 271, w.lease & 0xffff);
	m[273] = 255;
}

static void answer_dns(const unsigned char *in, size_t len)
{
	const unsigned char *q = in + HEAD + 28;
	size_t n = len - HEAD - 28;
	unsigned six = q[n - 3] == 28;
	unsigned char *m;

	w.asked[six]++;
	m = answer_udp(in, n + (w.rcode[six] ? 0 : 16));
	memcpy(m, q, n);
	m[2] = 0x81;
	m[3] = (unsigned char)w.rcode[six];
	if (w.rcode[six])
		return;
	m[2] |= w.cut ? 2 : 0;
	m[7] = 1;
	memcpy(m + n, "\xc0\xc\0\1\0\1\0\0\0\x9\0\4\xa\0\0\7", 16);
	if (w.mangled && w.asked[0] == 1)
		m[n + 11] = 200;
}

static int send_frame(struct nbd_ether *e, const struct nbd_iov v[], unsigned n)
{
	unsigned char p[1514];
	size_t len = 0;

	(void)e;
	for (unsigned i = 0; i < n; i++) {
		assert_true(v[i].len <= sizeof(p) - len);
		memcpy(p + len, v[i].base, v[i].len);
		len += v[i].len;
	}
	if (p[12] == 8 && p[13] == 6)
		answer_arp(p);
	else if (p[12] == 8 && p[23] == 17 && p[37] == 67)
		answer_dhcp(p);
	else if (p[12] == 8 && p[23] == 17 && p[37] == 53)
		answer_dns(p, len);
	else if (p[12] == 8 && p[23] == 6 && p[47] == 2)
		w.syns++;
	return 0;
}

static int receive(struct nbd_ether *e, void *buf, size_t cap)
{
	size_t len = w.len[w.first];

	(void)e;
	if (!w.n)
		return 0;
	assert_true(len <= cap);
	memcpy(buf, w.out[w.first], len);
	w.first = (w.first + 1) % 8;
	w.n--;
	return (int)len;
}

/* A frame that waits comes 1 ms later. */
static void pass(struct nbd_ether *e, unsigned ms)
{
	(void)e;
	ms = w.n ? 1 : ms ? ms : 1;
	world.now += ms > w.late ? ms : w.late;
}

static int begin(void **state)
{
	static struct nbd_ether e = { .mtu = 1500,
				      .mac = { 2, 0, 0, 0, 0, 1 },
				      .send = send_frame,
				      .receive = receive,
				      .wait = pass };
	const struct lwnet_config c = { .seed = { seed } };

	(void)state;
	memset(&w, 0, sizeof(w));
	world.now += 1000;
	w.host = 50;
	w.lease = DAY;
	return lwnet_open(&net, &e, &c);
}

static int end(void **state)
{
	(void)state;
	lwnet_close(&net, 100);
	return 0;
}

/* Does what is due until ms have passed, or there is an address, or is none. */
static void pass_until(unsigned ms, int want)
{
	uint64_t until = world.now + ms;

	do {
		lwnet_wait(&net, 1000);
	} while (world.now < until && want != (lwnet_ip(&net).len != 0));
}

static void assert_host(unsigned host)
{
	assert_int_equal(lwnet_ip(&net).ip[3], host);
}

/* ---- leases ---- */

static void a_lease_is_renewed_in_time(void **state)
{
	struct nbd_diag d;

	(void)state;
	w.lease = 600;
	assert_int_equal(lwnet_up(&net, 30000, NULL, &d), 0);
	assert_int_equal(w.acks, 1);
	/* each at half of its time, by a timer of 60 s */
	pass_until(6000 * 1000, -1);
	assert_in_range(w.acks, 16, 24);
	assert_int_equal(w.discovers, 1);
	assert_host(50);
}

static void a_lease_that_runs_out_ends_connections(void **state)
{
	const struct sock_addr a = {
		.port = 10809, .host = { .len = 4, .ip = { 10, 0, 0, 9 } }
	};
	struct sock s;
	struct nbd_event ev = { .want = NBD_SEND };
	struct nbd_diag d;

	(void)state;
	w.lease = 600;
	assert_int_equal(lwnet_up(&net, 30000, NULL, &d), 0);
	w.silent = true;
	pass_until(540 * 1000, -1);
	assert_host(50);
	assert_int_equal(lwnet_connect(&net.stack, &s, &a), NBD_E_AGAIN);
	ev.fd = s.fd;
	pass_until(121 * 1000, 0);
	assert_host(0);
	net.stack.wait(&net.stack, &ev, 1, 0);
	assert_true(ev.ready);
	assert_true(net.stack.connected(&s) < 0);
	assert_int_equal(lwnet_connect(&net.stack, &s, &a), NBD_E_UNREACHABLE);
}

static void after_a_lease_another_address_is_taken(void **state)
{
	struct nbd_diag d;

	(void)state;
	w.lease = 600;
	assert_int_equal(lwnet_up(&net, 30000, NULL, &d), 0);
	w.silent = true;
	pass_until(661 * 1000, 0);
	assert_host(0);
	w.silent = false;
	w.host = 51;
	pass_until(61 * 1000, 1);
	assert_host(51);
}

/* ---- time of TCP ---- */

static void begin_connection(struct sock *s)
{
	const struct sock_addr a = {
		.port = 10809, .host = { .len = 4, .ip = { 10, 0, 0, 1 } }
	};
	struct nbd_diag d;

	assert_int_equal(lwnet_up(&net, 30000, NULL, &d), 0);
	assert_int_equal(lwnet_connect(&net.stack, s, &a), NBD_E_AGAIN);
	while (!w.syns)
		lwnet_wait(&net, 1000);
}

static void a_segment_is_sent_again_in_time_by_late_polls(void **state)
{
	static const unsigned late[] = { 0, 15, 100, 190 };

	for (unsigned i = 0; i < 4; i++) {
		struct sock s;
		uint64_t sent;

		begin_connection(&s);
		sent = world.now;
		w.late = late[i];
		while (w.syns < 2)
			lwnet_wait(&net, 1000);
		assert_in_range(world.now - sent, RTO_MS, RTO_MS + 200);
		s.t.close(&s.t);
		end(state);
		begin(state);
	}
}

static void a_stall_ends_no_connection(void **state)
{
	struct sock s;

	(void)state;
	begin_connection(&s);
	world.now += 600 * 1000;
	lwnet_poll(&net);
	assert_int_equal(w.syns, 1);
	assert_true(!net.links[s.fd].err);
	s.t.close(&s.t);
}

/* ---- ports ---- */

/* A lease may begin its name servers with 0.0.0.0. */
static void a_name_server_behind_none_is_asked(void **state)
{
	const struct lwnet_config c = {
		.ip4 = { .ip = { 4, 24, { 10, 0, 0, 2 } },
			 .dns = { [1] = { 4, 32, { 10, 0, 0, 3 } } } },
	};
	struct nbd_ether *e = net.ether;
	unsigned k = 0;
	ip_addr_t ip;

	end(state);
	assert_int_equal(lwnet_open(&net, e, &c), 0);
	assert_true(lwnet_name_server_next(&ip, &k));
	assert_memory_equal(&ip_2_ip4(&ip)->addr, c.ip4.dns[1].ip, 4);
}

static uint16_t port_after_start(unsigned char new_seed)
{
	const struct sock_addr a = {
		.port = 10809, .host = { .len = 4, .ip = { 10, 0, 0, 9 } }
	};
	struct sock s;
	struct nbd_diag d;
	uint16_t port;

	end(NULL);
	seed = new_seed;
	assert_int_equal(begin(NULL), 0);
	assert_int_equal(lwnet_up(&net, 30000, NULL, &d), 0);
	assert_int_equal(lwnet_connect(&net.stack, &s, &a), NBD_E_AGAIN);
	port = net.links[s.fd].pcb->local_port;
	s.t.close(&s.t);
	return port;
}

/*
 * A machine that was cut off starts again: at the port of its old connection
 * the server's segments would use up the tries of the new one.
 */
static void each_start_has_ports_of_its_own(void **state)
{
	uint16_t first = port_after_start(2), next = port_after_start(3);

	(void)state;
	assert_in_range(first, 0xc000, 0xffff);
	assert_in_range(next, 0xc000, 0xffff);
	assert_true(first + 100 < next || next + 100 < first);
	assert_int_equal(port_after_start(2), first);
	seed = 1;
}

/* One start of 16384 draws it. */
static void the_port_behind_the_last_is_the_first(void **state)
{
	(void)state;
	drawn = 0x3fff;
	assert_in_range(port_after_start(1), 0xc000, 0xffff);
	drawn = 0x3ffe;
	assert_in_range(port_after_start(1), 0xc000, 0xffff);
	drawn = 0;
}

/* ---- names ---- */

static struct nbd_diag d; /* of resolve() */

static int resolve(struct sock_addr addrs[SOCK_MAX_ADDRS])
{
	const struct nbd_uri uri = { .host = "srv.example", .port = 1 };

	assert_int_equal(lwnet_up(&net, 30000, NULL, &d), 0);
	return lwnet_resolve(&net.stack, &uri, addrs, &d);
}

/* The name server's MAC address is not known when both questions are sent. */
static void both_questions_wait_for_the_neighbour(void **state)
{
	struct sock_addr a[SOCK_MAX_ADDRS];
	uint64_t begin_ms;

	(void)state;
	w.rcode[1] = 3;
	begin_ms = world.now;
	assert_int_equal(resolve(a), 1);
	assert_memory_equal(a[0].host.ip, "\xa\0\0\7", 4);
	assert_int_equal(w.asked[0], 1);
	assert_int_equal(w.asked[1], 1);
	assert_true(world.now - begin_ms < 1000);
}

static void a_refusal_of_aaaa_costs_no_time(void **state)
{
	struct sock_addr a[SOCK_MAX_ADDRS];
	uint64_t begin_ms;

	(void)state;
	w.rcode[1] = 5;
	begin_ms = world.now;
	assert_int_equal(resolve(a), 1);
	assert_int_equal(w.asked[1], 2);
	assert_true(world.now - begin_ms < 1000);
}

static void a_server_that_refuses_all_is_asked_eight_times(void **state)
{
	struct sock_addr a[SOCK_MAX_ADDRS];
	uint64_t begin_ms;

	(void)state;
	w.rcode[0] = w.rcode[1] = 2;
	begin_ms = world.now;
	assert_int_equal(resolve(a), NBD_E_RESOLVE);
	assert_string_equal(d.text, "resolve srv.example: the name server "
				    "refuses, or fails");
	assert_int_equal(w.asked[0], 8);
	assert_in_range(world.now - begin_ms, 8 * 1500, 8 * 1500 + 2000);
}

static void what_is_whole_of_an_answer_is_enough(void **state)
{
	struct sock_addr a[SOCK_MAX_ADDRS];

	(void)state;
	w.rcode[1] = 3;
	w.cut = true;
	assert_int_equal(resolve(a), 1);
	assert_memory_equal(a[0].host.ip, "\xa\0\0\7", 4);
	assert_int_equal(w.asked[0], 1);
}

/* It may have been spoiled on the way. */
static void a_malformed_answer_is_asked_for_again(void **state)
{
	struct sock_addr a[SOCK_MAX_ADDRS];

	(void)state;
	w.rcode[1] = 3;
	w.mangled = true;
	assert_int_equal(resolve(a), 1);
	assert_memory_equal(a[0].host.ip, "\xa\0\0\7", 4);
	assert_int_equal(w.asked[0], 2);
}

#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_lease_is_renewed_in_time),
		T(a_lease_that_runs_out_ends_connections),
		T(after_a_lease_another_address_is_taken),
		T(a_segment_is_sent_again_in_time_by_late_polls),
		T(a_stall_ends_no_connection),
		T(a_name_server_behind_none_is_asked),
		T(each_start_has_ports_of_its_own),
		T(the_port_behind_the_last_is_the_first),
		T(both_questions_wait_for_the_neighbour),
		T(a_refusal_of_aaaa_costs_no_time),
		T(a_server_that_refuses_all_is_asked_eight_times),
		T(what_is_whole_of_an_answer_is_enough),
		T(a_malformed_answer_is_asked_for_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
