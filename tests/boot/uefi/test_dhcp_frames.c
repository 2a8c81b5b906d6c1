/* SPDX-License-Identifier: BSD-2-Clause */
/* DHCP in frames, with a server that answers, lies or is silent. */
#include "boot/uefi/dhcp_frames.h"

#include "boot/words/lease.h"
#include "tests/unit.h"
#include "tests/world/clock.h"

static const uint8_t mac[6] = { 0x52, 0x54, 0, 1, 2, 3 };
#define DHCP_MS 20000
#define ALL	~0u

/* The server: what it answers to the next message, 0: nothing. */
static struct {
	uint8_t frame[1500];
	size_t len;	   /* 0: none */
	unsigned sent[4];  /* messages of DISCOVER, OFFER, REQUEST */
	bool silent, naks; /* naks: the first REQUEST */
	uint64_t passes;   /* ms: what is sent before is lost */
	bool link;
	bool no_next;	/* siaddr is 0 */
	bool classless; /* routes (121) in place of a router and DNS */
	unsigned poor;	/* so many offers come from one without a root-path */
	int flags;	/* NBD_ETHER_* of each frame */
	size_t bad;	/* the byte that is wrong in each, 0: none */
} server;

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static unsigned sum(const uint8_t *p, size_t len, uint32_t s)
{
	for (; len > 1; p += 2, len -= 2)
		s += (uint32_t)p[0] << 8 | p[1];
	if (len)
		s += (uint32_t)*p << 8;
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return ~s & 0xffff;
}

/* A frame with the answer `type` to the message at q. */
static size_t answer(uint8_t *f, const uint8_t *q, unsigned type)
{
	static const uint8_t options[] = {
		53,  1,	  0,   54,  4,	 10,  0,   2,	2,  51, 4, 0,
		1,   0,	  0,   1,   4,	 255, 255, 255, 0,  3,	4, 10,
		0,   2,	  1,   6,   4,	 10,  0,   2,	3,  17, 9, 'n',
		'b', 'd', ':', '/', '/', 'h', '/', 'x', 255
	};
	uint8_t *ip = f + 14, *udp = ip + 20, *m = udp + 8;
	size_t n = 240 + sizeof(options);

	memset(f, 0, 42 + n);
	memcpy(f, mac, 6);
	f[12] = 8;
	ip[0] = 0x45;
	put16(ip + 2, (unsigned)(28 + n));
	ip[8] = 64;
	ip[9] = 17;
	memcpy(ip + 12, "\x0a\x00\x02\x02\x0a\x00\x02\x0f", 8);
	put16(ip + 10, sum(ip, 20, 0));
	put16(udp, 67);
	put16(udp + 2, 68);
	put16(udp + 4, (unsigned)(8 + n));
	memcpy(m, q, 236);
	m[0] = 2;
	memcpy(m + 16, "\x0a\x00\x02\x0f", 4);
	if (!server.no_next)
		memcpy(m + 20, "\x0a\x00\x02\x07", 4);
	memcpy(m + 236, "\x63\x82\x53\x63", 4);
	memcpy(m + 240, options, sizeof(options));
	m[242] = (uint8_t)type;
	if (server.poor) {
		m[240 + 8] = 9; /* of its address */
		m[240 + 33] = 43;
	}
	if (server.classless)
		memcpy(m + 240 + 21, "\x79\5\0\x0a\0\2\1\0\0\0\0\0", 12);
	put16(udp + 6,
	      sum(udp, 8 + n,
		  17 + 8 + (uint32_t)n + 0x0a00 + 0x0202 + 0x0a00 + 0x020f));
	return 42 + n;
}

static int send(struct nbd_ether *e, const struct nbd_iov v[], unsigned n)
{
	static uint8_t f[2000];
	size_t len = 0;
	const uint8_t *q = f + 42;
	unsigned type;

	(void)e;
	for (; n; v++, n--) {
		memcpy(f + len, v->base, v->len);
		len += v->len;
	}
	assert_int_equal(sum(f + 14, 20, 0), 0);
	assert_int_equal(f[14 + 2] << 8 | f[14 + 3], len - 14);
	type = f[42 + 242];
	assert_true(type == DHCP_DISCOVER || type == DHCP_REQUEST);
	server.sent[type]++;
	if (server.silent || world.now < server.passes)
		return 0;
	server.len = answer(server.frame, q,
			    type == DHCP_DISCOVER ? DHCP_OFFER
			    : server.naks	  ? DHCP_NAK
						  : DHCP_ACK);
	server.naks &= type == DHCP_DISCOVER;
	server.poor -= server.poor && server.poor != ALL;
	return 0;
}

static int receive(struct nbd_ether *e, void *buf, size_t cap)
{
	size_t len = server.len;

	(void)e;
	assert_true(len <= cap);
	if (!len)
		return 0;
	server.frame[server.bad] ^= server.bad ? 1 : 0;
	memcpy(buf, server.frame, len);
	server.len = 0;
	return (int)len | server.flags;
}

static bool has_link(struct nbd_ether *e)
{
	(void)e;
	return server.link;
}

static void wait(struct nbd_ether *e, unsigned ms)
{
	(void)e;
	world.now += ms;
}

static struct nbd_ether ether;
static struct dhcp_lease l;
static struct nbd_diag d;

static int setup(void **state)
{
	(void)state;
	memset(&server, 0, sizeof(server));
	server.link = true;
	ether = (struct nbd_ether){ .mtu = 1500,
				    .link = has_link,
				    .send = send,
				    .receive = receive,
				    .wait = wait };
	memcpy(ether.mac, mac, 6);
	world.now = 1000;
	return 0;
}

static void a_lease_with_its_root_path(void **state)
{
	static const uint8_t want[4] = { 10, 0, 2, 15 };
	char text[256];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) - 1 };

	(void)state;
	assert_int_equal(uefi_dhcp(&l, &ether, 7, false, DHCP_MS, &d), 0);
	assert_memory_equal(l.addr.ip, want, 4);
	assert_string_equal(l.root_path, "nbd://h/x");
	assert_int_equal(server.sent[DHCP_DISCOVER], 1);
	assert_int_equal(server.sent[DHCP_REQUEST], 1);
	boot_lease_put(&o, &l, "");
	text[o.len] = '\0';
	assert_string_equal(text, " ip=10.0.2.15::10.0.2.1:255.255.255.0:::off:"
				  "10.0.2.3");
}

/* RFC 3442: a server that sends routes should leave the router out. */
static void a_default_route_names_the_router(void **state)
{
	static const uint8_t want[4] = { 10, 0, 2, 1 };

	(void)state;
	server.classless = true;
	assert_int_equal(uefi_dhcp(&l, &ether, 7, false, DHCP_MS, &d), 0);
	assert_int_equal(l.router.len, 4);
	assert_memory_equal(l.router.ip, want, 4);
}

static void a_nak_means_another_try(void **state)
{
	(void)state;
	server.naks = true;
	assert_int_equal(uefi_dhcp(&l, &ether, 7, false, DHCP_MS, &d), 0);
	assert_int_equal(server.sent[DHCP_DISCOVER], 2);
}

/* A proxy or a router answers first, the server of the boot a moment later. */
static void an_offer_without_the_root_path_is_not_taken(void **state)
{
	(void)state;
	server.poor = 1;
	assert_int_equal(uefi_dhcp(&l, &ether, 7, true, DHCP_MS, &d), 0);
	assert_string_equal(l.root_path, "nbd://h/x");
	assert_int_equal(server.sent[DHCP_DISCOVER], 2);
	assert_int_equal(server.sent[DHCP_REQUEST], 1);
	setup(state);
	server.poor = ALL;
	assert_int_equal(uefi_dhcp(&l, &ether, 7, false, DHCP_MS, &d), 0);
	assert_int_equal(server.sent[DHCP_DISCOVER], 1);
}

static void without_any_root_path_the_first_offer_is_taken(void **state)
{
	(void)state;
	server.poor = ALL;
	assert_int_equal(uefi_dhcp(&l, &ether, 7, true, DHCP_MS, &d), 0);
	assert_string_equal(l.root_path, "");
	assert_int_equal(l.server.ip[3], 9);
	assert_true(world.now < 1000 + 5000);
}

static void
the_next_server_is_the_one_that_answers_if_it_names_none(void **state)
{
	(void)state;
	assert_int_equal(uefi_dhcp(&l, &ether, 7, false, DHCP_MS, &d), 0);
	assert_int_equal(l.next.ip[3], 7);
	setup(state);
	server.no_next = true;
	assert_int_equal(uefi_dhcp(&l, &ether, 7, false, DHCP_MS, &d), 0);
	assert_memory_equal(&l.next, &l.server, sizeof(l.next));
}

static void silence_ends_in_time(void **state)
{
	(void)state;
	server.silent = true;
	assert_int_equal(uefi_dhcp(&l, &ether, 7, false, DHCP_MS, &d),
			 NBD_E_TIMEOUT);
	assert_true(world.now >= 1000 + DHCP_MS && world.now < 1100 + DHCP_MS);
	assert_true(server.sent[DHCP_DISCOVER] >= 4 &&
		    server.sent[DHCP_DISCOVER] <= 6);
}

/* Listening and learning take 15 s each, whatever the pauses are. */
static void a_port_with_spanning_tree_passes_a_later_message(void **state)
{
	for (uint32_t seed = 1; seed <= 100; seed++) {
		setup(state);
		server.passes = 1000 + 33000;
		assert_int_equal(uefi_dhcp(&l, &ether, seed, false, 45000, &d),
				 0);
	}
}

/* The type of Ethernet, a sum of IPv4, that of UDP, the message's last byte. */
static void damaged_frames_are_no_answers(void **state)
{
	static const size_t bad[] = { 12, 24, 40, 42 + 240 + 40 };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		setup(state);
		server.bad = bad[i];
		assert_int_equal(uefi_dhcp(&l, &ether, 7, false, DHCP_MS, &d),
				 NBD_E_TIMEOUT);
	}
}

/* A server on the same host leaves the sum of UDP to the device. */
static void a_verified_frame_may_lack_the_sum_of_udp(void **state)
{
	(void)state;
	server.flags = NBD_ETHER_VERIFIED;
	server.bad = 40;
	assert_int_equal(uefi_dhcp(&l, &ether, 7, false, DHCP_MS, &d), 0);
	setup(state);
	server.flags = NBD_ETHER_VERIFIED;
	server.bad = 24;
	assert_int_equal(uefi_dhcp(&l, &ether, 7, false, DHCP_MS, &d),
			 NBD_E_TIMEOUT);
}

static void no_link_is_named(void **state)
{
	(void)state;
	server.link = false;
	assert_int_equal(uefi_dhcp(&l, &ether, 7, false, DHCP_MS, &d),
			 NBD_E_UNREACHABLE);
	assert_non_null(strstr(d.text, "no link"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_lease_with_its_root_path, setup),
		cmocka_unit_test_setup(a_default_route_names_the_router, setup),
		cmocka_unit_test_setup(a_nak_means_another_try, setup),
		cmocka_unit_test_setup(
			an_offer_without_the_root_path_is_not_taken, setup),
		cmocka_unit_test_setup(
			without_any_root_path_the_first_offer_is_taken, setup),
		cmocka_unit_test_setup(
			the_next_server_is_the_one_that_answers_if_it_names_none,
			setup),
		cmocka_unit_test_setup(silence_ends_in_time, setup),
		cmocka_unit_test(
			a_port_with_spanning_tree_passes_a_later_message),
		cmocka_unit_test(damaged_frames_are_no_answers),
		cmocka_unit_test_setup(a_verified_frame_may_lack_the_sum_of_udp,
				       setup),
		cmocka_unit_test_setup(no_link_is_named, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
