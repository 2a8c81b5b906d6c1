/* SPDX-License-Identifier: BSD-2-Clause */
/* An IPv6 address by hand: when it is good, and where packets go. */
#include "port/lwip/lwip.h"
#include "tests/unit.h"
#include "tests/world/clock.h"

#include <lwip/dns.h>
#include <string.h>

static struct lwnet net;

/* The network: which neighbours were asked for, and one that answers. */
static struct {
	unsigned char asked[16]; /* the last one, but for our own */
	bool taken;		 /* somebody has our address */
	unsigned char out[100];
	size_t len; /* of out; 0: none */
} w;

static const unsigned char ours[16] = { 0x20, 1, 0x0d, 0xb8, [15] = 2 };

static unsigned sum(const unsigned char *p, size_t len, unsigned s)
{
	for (; len > 1; p += 2, len -= 2)
		s += (unsigned)p[0] << 8 | p[1];
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return s;
}

/* A neighbour's advertisement of the address that p asks for. */
static void advertise(const unsigned char *target)
{
	static const unsigned char head[] = { 0x33, 0x33, 0,	0,  0, 1,
					      2,    0,	  0,	0,  0, 9,
					      0x86, 0xdd, 0x60, 0,  0, 0,
					      0,    32,	  58,	255 },
				   all[16] = { 0xff, 2, [15] = 1 },
				   tail[] = { 2, 1, 2, 0, 0, 0, 0, 9 };
	unsigned char *p = w.out;
	unsigned s;

	memset(p, 0, 86);
	memcpy(p, head, sizeof(head));
	memcpy(p + 22, target, 16);
	memcpy(p + 38, all, 16);
	p[54] = 136;
	p[58] = 0x20; /* override */
	memcpy(p + 62, target, 16);
	memcpy(p + 78, tail, 8);
	s = ~sum(p + 54, 32, sum(p + 22, 32, 32 + 58)) & 0xffff;
	p[56] = (unsigned char)(s >> 8);
	p[57] = (unsigned char)s;
	w.len = 86;
}

static int send_frame(struct nbd_ether *e, const struct nbd_iov v[], unsigned n)
{
	const unsigned char *p = v[0].base;

	(void)e;
	assert_int_equal(n, 1);
	/* a neighbour's solicitation */
	if (v[0].len < 78 || p[12] != 0x86 || p[54] != 135)
		return 0;
	if (memcmp(p + 62, ours, 16) == 0 && w.taken)
		advertise(ours);
	else if (memcmp(p + 62, ours, 16) != 0)
		memcpy(w.asked, p + 62, 16);
	return 0;
}

static int receive(struct nbd_ether *e, void *buf, size_t cap)
{
	size_t len = w.len;

	(void)e, (void)cap;
	memcpy(buf, w.out, len);
	w.len = 0;
	return (int)len;
}

static void pass(struct nbd_ether *e, unsigned ms)
{
	(void)e;
	world.now += ms ? ms : 1;
}

static void open_with(const struct lwnet_by_hand *ip6)
{
	static struct nbd_ether e = { .mtu = 1500,
				      .mac = { 2, 0, 0, 0, 0, 1 },
				      .send = send_frame,
				      .receive = receive,
				      .wait = pass };
	/* no DHCP: it would ask, and nobody answers */
	struct lwnet_config c = { .seed = { 1 } };

	if (ip6)
		c.ip6 = *ip6;
	world.now += 1000;
	w.len = 0;
	assert_int_equal(lwnet_open(&net, &e, &c), 0);
}

/* Which neighbour is asked for, on the way to an address? */
static void assert_way(const char *to, const char *by)
{
	struct sock_addr a = { .port = 10809 };
	struct nbd_ip want;
	struct sock s;

	assert_true(nbd_ip_parse(&a.host, to) && nbd_ip_parse(&want, by));
	memset(w.asked, 0, 16);
	assert_int_equal(lwnet_connect(&net.stack, &s, &a), NBD_E_AGAIN);
	for (int i = 0; i < 10; i++)
		lwnet_wait(&net, 100);
	assert_memory_equal(w.asked, want.ip, 16);
	s.t.close(&s.t);
}

static struct lwnet_by_hand by_hand(const char *router, uint8_t prefix)
{
	struct lwnet_by_hand ip6 = { .ip = nbd_ip_of(ours, 16) };

	ip6.ip.prefix = prefix;
	assert_true(!router || nbd_ip_parse(&ip6.router, router));
	return ip6;
}

static void packets_go_to_the_link_or_to_the_router(void **state)
{
	static const struct {
		unsigned char prefix;
		const char *to;
		bool on_link;
	} cases[] = {
		{ 64, "2001:db8::7", true },

		{ 64, "2001:db8:0:1::7", false },
		{ 48, "2001:db8::7", true },
		/* lwIP asks only for neighbours in the same 64 bits */
		{ 48, "2001:db8:0:1::7", false },
		{ 48, "2001:db8:1::7", false },
		/* it would take each of these for a neighbour */
		{ 120, "2001:db8::7", true },
		{ 120, "2001:db8::1:7", false },
		{ 127, "2001:db8::3", true },
		{ 127, "2001:db8::1", false },
		{ 128, "2001:db8::3", false },
	};
	struct nbd_diag d;
	struct nbd_ip ip;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lwnet_by_hand ip6 = by_hand("fe80::1", cases[i].prefix);

		open_with(&ip6);
		assert_int_equal(lwnet_up(&net, 10000, NULL, &d), 0);
		ip = lwnet_ip6(&net);
		assert_int_equal(ip.len, 16);
		assert_false(lwnet_ip6_taken(&net));
		assert_memory_equal(ip.ip, ours, 16);
		assert_way(cases[i].to,
			   cases[i].on_link ? cases[i].to : "fe80::1");
		lwnet_close(&net, 0);
	}
}

static void without_a_router_only_the_link_is_there(void **state)
{
	const struct sock_addr far = {
		.host = { .len = 16, .ip = { 0x20, 2, [15] = 1 } },
		.port = 1,
	};
	struct lwnet_by_hand ip6 = by_hand(NULL, 64);
	struct nbd_diag d;
	struct sock s;

	(void)state;
	open_with(&ip6);
	assert_int_equal(lwnet_up(&net, 10000, NULL, &d), 0);
	assert_way("2001:db8::7", "2001:db8::7");
	memset(w.asked, 0, 16);
	if (lwnet_connect(&net.stack, &s, &far) == NBD_E_AGAIN) {
		for (int i = 0; i < 10; i++)
			lwnet_wait(&net, 100);
		s.t.close(&s.t);
	}
	assert_int_equal(w.asked[0], 0);
	lwnet_close(&net, 0);
}

static void an_address_that_another_machine_has_is_not_used(void **state)
{
	struct lwnet_by_hand ip6 = by_hand("fe80::1", 64);
	struct nbd_diag d;

	(void)state;
	w.taken = true;
	open_with(&ip6);
	assert_int_equal(lwnet_up(&net, 10000, NULL, &d), NBD_E_TIMEOUT);
	assert_true(lwnet_ip6_taken(&net));
	lwnet_close(&net, 0);
	w.taken = false;
}

/* As lwIP does with those that a router or DHCP announces. */
static void an_announced_name_server_comes_after_both_of_ours(void **state)
{
	struct lwnet_by_hand ip6 = by_hand("fe80::1", 64);
	ip_addr_t other, got;
	unsigned k = 0;

	(void)state;
	ip6.dns[0] = nbd_ip_of(ours, 16);
	ip6.dns[1] = ip6.router;
	assert_true(ipaddr_aton("2001:db8::53", &other));
	open_with(&ip6);
	dns_setserver(0, &other);
	assert_true(lwnet_name_server_next(&got, &k));
	assert_memory_equal(ip_2_ip6(&got)->addr, ours, 16);
	assert_true(lwnet_name_server_next(&got, &k));
	assert_memory_equal(ip_2_ip6(&got)->addr, ip6.router.ip, 16);
	assert_true(lwnet_name_server_next(&got, &k));
	assert_true(ip_addr_cmp(&got, &other));
	lwnet_close(&net, 0);
	/* the next interface may be in another network */
	open_with(NULL);
	k = 0;
	assert_true(lwnet_name_server_next(&got, &k));
	assert_true(ip_addr_cmp(&got, &other));
	lwnet_close(&net, 0);
	dns_setserver(0, NULL);
}

/* Of several addresses of a server those come first that it can reach. */
static void the_link_alone_is_no_way_to_other_networks(void **state)
{
	struct lwnet_by_hand ip6 = by_hand("fe80::1", 64);
	struct sock_addr far = { 0 }, near = { 0 };
	unsigned char own[16];
	struct nbd_diag d;

	(void)state;
	assert_true(nbd_ip_parse(&far.host, "2001:db8:9::1"));
	assert_true(nbd_ip_parse(&near.host, "fe80::9"));
	open_with(NULL);
	for (unsigned i = 0; i < 30; i++)
		lwnet_wait(&net, 100);
	assert_false(lwnet_ip6_source(&net, &far, own));
	assert_true(lwnet_ip6_source(&net, &near, own));
	assert_int_equal(own[0], 0xfe);
	lwnet_close(&net, 0);
	open_with(&ip6);
	/* not before it is known that nobody has it */
	assert_false(lwnet_ip6_source(&net, &far, own));
	assert_int_equal(lwnet_up(&net, 10000, NULL, &d), 0);
	assert_true(lwnet_ip6_source(&net, &far, own));
	assert_memory_equal(own, ours, 16);
	lwnet_close(&net, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_go_to_the_link_or_to_the_router),
		cmocka_unit_test(without_a_router_only_the_link_is_there),
		cmocka_unit_test(
			an_address_that_another_machine_has_is_not_used),
		cmocka_unit_test(
			an_announced_name_server_comes_after_both_of_ours),
		cmocka_unit_test(the_link_alone_is_no_way_to_other_networks),
	};

	return cmocka_run_group_tests_name("IPv6 by hand", tests, NULL, NULL);
}
