/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of DHCPv6: every cut, every lie, and the states of the client. */
#include "boot/net/lease6.h"

#include "tests/guard.h"
#include "tests/unit.h"

static const uint8_t mac[6] = { 0x52, 0x54, 0, 1, 2, 3 };
#define XID 0x123456

/* A message that is being written. */
static struct {
	uint8_t p[1024];
	size_t len;
} m;
static struct lease6_values v;
static struct lease6_id id;

static void add(unsigned code, const void *data, size_t len)
{
	m.p[m.len++] = (uint8_t)(code >> 8);
	m.p[m.len++] = (uint8_t)code;
	m.p[m.len++] = (uint8_t)(len >> 8);
	m.p[m.len++] = (uint8_t)len;
	memcpy(m.p + m.len, data, len);
	m.len += len;
}

static void begin(unsigned type)
{
	boot_lease6_id(&id, mac);
	memset(&m, 0, sizeof(m));
	memcpy(m.p, (uint8_t[]){ (uint8_t)type, 0x12, 0x34, 0x56 }, 4);
	m.len = 4;
	add(1, id.duid.p, id.duid.len);
	add(2, "\0\2me", 4);
}

/* Times of an address, and of an IA_NA. */
struct times {
	uint32_t preferred, valid, t1, t2;
};

static void put32(uint8_t *p, uint32_t n)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(n >> (24 - 8 * i));
}

static size_t put_address(uint8_t *p, unsigned last, const struct times *t,
			  unsigned status)
{
	memcpy(p, "\0\5\0\x18\x20\1\x0d\xb8", 8);
	memset(p + 8, 0, 12);
	p[19] = (uint8_t)last;
	put32(p + 20, t->preferred);
	put32(p + 24, t->valid);
	if (!status)
		return 28;
	p[3] = 30;
	memcpy(p + 28, "\0\x0d\0\2\0", 5);
	p[33] = (uint8_t)status;
	return 34;
}

/* An IA_NA with the address, unless that is 0, and a status, unless that is. */
static void add_ia(unsigned last, const struct times *t, unsigned status,
		   unsigned inner)
{
	uint8_t ia[128] = { 0, 1, 2, 3 };
	size_t n = 12;

	put32(ia + 4, t->t1);
	put32(ia + 8, t->t2);
	if (last)
		n += put_address(ia + n, last, t, inner);
	if (status) {
		memcpy(ia + n, "\0\x0d\0\2\0", 5);
		ia[n + 5] = (uint8_t)status;
		n += 6;
	}
	add(3, ia, n);
}

static const struct times hour = { 3600, 7200, 0, 0 };

static int parse(const struct nbd_ip *want)
{
	return boot_lease6_parse(m.p, m.len, XID, &id, want, &v);
}

/* ---- messages ---- */

static void every_option_is_read(void **state)
{
	(void)state;
	begin(2);
	add(7, "\xc8", 1);
	add(14, "", 0);
	add(23, "\x20\1\0\0\0\0\0\0\0\0\0\0\0\0\0\x53", 16);
	add(24, "\4test\0", 6);
	add(59, "tftp://a/", 9);
	add(60, "\0\5quiet\0\7nbd://s\0\7nbd://t", 25);
	add_ia(0x77, &hour, 0, 0);
	assert_int_equal(parse(NULL), LEASE6_ADVERTISE);
	assert_int_equal(v.preference, 200);
	assert_true(v.rapid && v.has);
	assert_int_equal(v.status, 0);
	assert_int_equal(v.server.len, 4);
	assert_int_equal(v.addr.ip[15], 0x77);
	assert_int_equal(v.valid, 7200);
	assert_int_equal(v.t1, 1800);
	assert_int_equal(v.t2, 2880);
	assert_int_equal(v.config.n_dns, 1);
	assert_string_equal(v.config.domain, "test");
	/* a loader is for the firmware: the first parameter is the root-path */
	assert_string_equal(v.config.url, "nbd://s");
	begin(7);
	add(59, "nbd://r", 7);
	add(60, "\0\7nbd://s", 9);
	assert_int_equal(parse(NULL), LEASE6_REPLY);
	assert_string_equal(v.config.url, "nbd://r");
	assert_false(v.has);
}

static void nothing_is_read_beyond_the_end_of_any_cut(void **state)
{
	struct guard g = guard_new(1024);

	(void)state;
	begin(7);
	add_ia(0x77, &hour, 2, 3);
	add(60, "\0\7nbd://s", 9);
	for (size_t n = 0; n <= m.len; n++) {
		int type = boot_lease6_parse(guard_copy(&g, m.p, n), n, XID,
					     &id, NULL, &v);

		/* a cut between two options cannot be seen */
		assert_true(!type || n >= 26);
	}
	assert_int_equal(parse(NULL), LEASE6_REPLY);
	/* lengths inside that are too long by any amount */
	for (size_t at = 26; at < 26 + 4 + 12 + 34; at += 4)
		for (unsigned more = 1; more < 64; more += 9) {
			uint8_t before = m.p[at + 3];

			m.p[at + 3] = (uint8_t)(before + more);
			boot_lease6_parse(guard_copy(&g, m.p, m.len), m.len,
					  XID, &id, NULL, &v);
			m.p[at + 3] = before;
		}
	guard_free(&g);
}

static void what_is_not_for_us_is_no_answer(void **state)
{
	static const struct {
		unsigned at;
		uint8_t value;
	} t[] = {
		{ 0, 1 },  { 0, 13 }, { 3, 0x57 }, { 8, 1 },
		{ 17, 4 }, { 21, 1 }, /* a server ID that sticks out */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		begin(7);
		m.p[t[i].at] = t[i].value;
		assert_int_equal(parse(NULL), 0);
	}
	begin(7);
	add(1, id.duid.p, id.duid.len);
	assert_int_equal(parse(NULL), 0);
	begin(7);
	add(2, "\0\2me", 4);
	assert_int_equal(parse(NULL), 0);
	begin(7);
	m.len -= 8;
	assert_int_equal(parse(NULL), 0);
	begin(7);
	add(3, "\0\1\2\3", 4);
	assert_int_equal(parse(NULL), 0);
	begin(7);
	add(13, "\0", 1);
	assert_int_equal(parse(NULL), 0);
}

static void the_right_address_is_taken(void **state)
{
	static const struct times withdrawn = { 0, 0, 0, 0 },
				  wrong = { 9, 8, 0, 0 }, ia = { 1, 2, 9, 8 };
	const struct nbd_ip want = {
		.len = 16, .ip = { 0x20, 1, 0xd, 0xb8, [15] = 0x78 }
	};

	(void)state;
	begin(7);
	add_ia(0x77, &hour, 0, 0);
	add_ia(0x78, &hour, 0, 0);
	assert_int_equal(parse(NULL), LEASE6_REPLY);
	assert_int_equal(v.addr.ip[15], 0x77);
	/* times that cannot be, of the address and of the IA_NA */
	begin(7);
	add_ia(0x77, &wrong, 0, 0);
	add_ia(0x77, &ia, 0, 0);
	assert_int_equal(parse(NULL), LEASE6_REPLY);
	assert_false(v.has);
	/* only the machine that has it loses it */
	begin(7);
	add_ia(0x78, &withdrawn, 0, 0);
	assert_int_equal(parse(NULL), LEASE6_REPLY);
	assert_false(v.has);
	assert_int_equal(parse(&want), LEASE6_REPLY);
	assert_true(v.has);
	assert_int_equal(v.valid, 0);
	/* another machine's IA_NA */
	begin(7);
	add_ia(0x77, &hour, 0, 0);
	m.p[m.len - 28 - 12] ^= 1;
	assert_int_equal(parse(NULL), LEASE6_REPLY);
	assert_false(v.has);
	/* a group, a link, IPv4 */
	for (unsigned i = 0; i < 3; i++) {
		begin(7);
		add_ia(0x77, &hour, 0, 0);
		memcpy(m.p + m.len - 24, &"\xff\2\0\xfe\x80\0\0\0\0"[i * 3], 3);
		if (i == 2)
			memset(m.p + m.len - 24, 0, 4);
		assert_int_equal(parse(NULL), LEASE6_REPLY);
		assert_false(v.has);
	}
}

static void a_status_anywhere_refuses(void **state)
{
	(void)state;
	for (unsigned where = 0; where < 3; where++) {
		for (unsigned code = 1; code < 9; code++) {
			begin(7);
			add_ia(0x77, &hour, where == 1 ? code : 0,
			       where == 2 ? code : 0);
			if (!where)
				add(13, (uint8_t[]){ 0, (uint8_t)code }, 2);
			assert_int_equal(parse(NULL), LEASE6_REPLY);
			assert_false(v.has);
			assert_int_equal(v.status, code > 5 ? 1 : code);
		}
	}
}

static void times_are_kept_apart_and_in_order(void **state)
{
	static const struct {
		struct times in;
		uint32_t t1, t2;
	} t[] = {
		{ { 3600, 7200, 900, 1800 }, 900, 1800 },
		{ { 3600, 7200, 0, 1800 }, 1800, 1800 },
		{ { 3600, 7200, 900, 0 }, 900, 2880 },
		{ { 3600, 7200, 9000, 9000 }, 1800, 2880 },
		{ { 0, 7200, 0, 0 }, 3600, 5760 },
		{ { 7200, 7200, 1, 2 }, 60, 60 },
		{ { 4, 4, 1, 2 }, 2, 2 },
		{ { 1, 1, 0, 0 }, 1, 1 },
		{ { UINT32_MAX, UINT32_MAX, 0, 0 }, UINT32_MAX, UINT32_MAX },
		{ { 100, UINT32_MAX, UINT32_MAX, UINT32_MAX },
		  UINT32_MAX,
		  UINT32_MAX },
		{ { 100, 1000, UINT32_MAX, UINT32_MAX }, 60, 80 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		begin(7);
		add_ia(0x77, &t[i].in, 0, 0);
		assert_int_equal(parse(NULL), LEASE6_REPLY);
		assert_true(v.has);
		assert_int_equal(v.t1, t[i].t1);
		assert_int_equal(v.t2, t[i].t2);
	}
}

static void the_identity_is_that_of_the_machine(void **state)
{
	static const char *const none[] = {
		"",
		"4c4c4544-0042-3510-8054-b4c04f59344",
		"x",
		"4c4c4544-0042-3510-8054-b4c04f5934432",
		"4c4c454400423510-8054-b4c04f593443--",
		"00000000-0000-0000-0000-000000000000",
		"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
		"03000200-0400-0500-0006-000700080009",
	};

	(void)state;
	boot_lease6_id(&id, mac);
	assert_int_equal(id.duid.len, 10);
	assert_memory_equal(id.duid.p, "\0\3\0\1\x52\x54\0\1\2\3", 10);
	assert_int_equal(id.iaid, 0x00010203);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_false(boot_lease6_uuid(&id, none[i]));
	assert_int_equal(id.duid.len, 10);
	assert_true(
		boot_lease6_uuid(&id, "4c4c4544-0042-3510-8054-b4c04f593443"));
	assert_int_equal(id.duid.len, 18);
	assert_memory_equal(id.duid.p,
			    "\0\4\x4c\x4c\x45\x44\0\x42\x35\x10\x80\x54\xb4\xc0"
			    "\x4f\x59\x34\x43",
			    18);
}

static void the_longest_message_fits(void **state)
{
	uint8_t buf[LEASE6_MAX];
	struct duid6 server = { .len = DUID6_MAX };
	const struct nbd_ip addr = { .len = 16, .ip = { 0x20, 1 } };
	struct lease6_query q = { .id = &id, .server = &server, .addr = &addr };

	(void)state;
	boot_lease6_id(&id, mac);
	boot_lease6_uuid(&id, "4c4c4544-0042-3510-8054-b4c04f593443");
	for (unsigned type = 1; type < 10; type++) {
		q.type = (enum lease6_type)type;
		assert_in_range(boot_lease6_build(buf, &q), 200, LEASE6_MAX);
	}
}

/* ---- states ---- */

static struct lease6 d;
static uint64_t now;
static uint8_t sent[LEASE6_MAX];
static size_t sent_len;

/* What it sends when that is due; 0: nothing. */
static unsigned sends(void)
{
	now = d.due;
	sent_len = net_lease6_send(&d, sent, now);
	return sent_len ? sent[0] : 0;
}

static void start(void)
{
	now = 1000;
	boot_lease6_id(&id, mac);
	net_lease6_start(&d, &id, 7, now);
}

/* The message is an answer to the latest of the client. */
static bool takes(void)
{
	m.p[1] = (uint8_t)(d.xid >> 16);
	m.p[2] = (uint8_t)(d.xid >> 8);
	m.p[3] = (uint8_t)d.xid;
	return net_lease6_take(&d, m.p, m.len, ++now);
}

static bool offer(const char *server, const char *preference)
{
	begin(2);
	m.len -= 8;
	add(2, server, 4);
	add(7, preference, 1);
	add_ia(0x77, &hour, 0, 0);
	return takes();
}

static void reply(unsigned last, const struct times *t, unsigned status)
{
	begin(7);
	add_ia(last, t, status, 0);
}

/* An advertisement. */
static void offers(unsigned last, const struct times *t)
{
	begin(2);
	add_ia(last, t, 0, 0);
}

static void bound(void)
{
	start();
	assert_int_equal(sends(), LEASE6_SOLICIT);
	begin(7);
	add(14, "", 0);
	add_ia(0x77, &hour, 0, 0);
	assert_true(takes());
	assert_int_equal(d.state, LEASE6_BOUND);
	assert_int_equal(d.bound, d.sent);
	assert_int_equal(d.due, UINT64_MAX);
}

static void the_best_of_a_second_is_asked(void **state)
{
	(void)state;
	start();
	assert_in_range(d.due, 1000, 2000);
	assert_int_equal(sends(), LEASE6_SOLICIT);
	assert_in_range(d.due - now, 1001, 1100);
	assert_false(offer("\0\2aa", "\5"));
	assert_false(offer("\0\2bb", "\x09"));
	assert_false(offer("\0\2cc", "\7"));
	assert_int_equal(sends(), LEASE6_REQUEST);
	assert_memory_equal(d.lease.server.p, "\0\2bb", 4);
	/* another server's reply */
	reply(0x77, &hour, 0);
	assert_false(takes());
	m.p[m.len - 4 - 40 - 2] = m.p[m.len - 4 - 40 - 1] = 'b';
	assert_true(takes());
	assert_int_equal(d.state, LEASE6_BOUND);
	/* 255 does not wait, and later the first is enough */
	start();
	sends();
	assert_true(offer("\0\2aa", "\xff"));
	start();
	sends();
	sends();
	assert_true(offer("\0\2aa", "\0"));
}

static void a_root_path_that_is_needed_is_waited_for(void **state)
{
	(void)state;
	start();
	d.need_path = true;
	sends();
	assert_false(offer("\0\2aa", "\xff"));
	assert_int_equal(sends(), LEASE6_SOLICIT);
	assert_int_equal(sends(), LEASE6_REQUEST);
	start();
	d.need_path = true;
	for (unsigned i = 0; i < 8; i++)
		sends();
	assert_true(d.due - now > 60000);
	assert_false(offer("\0\2aa", "\0"));
	assert_in_range(d.due - now, 1, 2000);
}

static void who_refuses_is_asked_less_and_less_often(void **state)
{
	uint64_t last = 0;

	(void)state;
	start();
	for (unsigned i = 0; i < 8; i++) {
		while (sends() == LEASE6_SOLICIT)
			offer("\0\2me", "\xff");
		assert_int_equal(d.state, LEASE6_REQUESTING);
		reply(0, &hour, 2);
		assert_true(takes());
		assert_int_equal(d.refused, LEASE6_NO_ADDRS);
		assert_in_range(d.due - now, last, 16000);
		last = d.due - now;
	}
	assert_int_equal(last, 16000);
}

/* Of two that offer, "me" does not keep to it, whatever its preference. */
static void choose_the_other(void)
{
	assert_int_equal(sends(), LEASE6_SOLICIT);
	assert_false(offer("\0\2me", "\xff"));
	assert_false(offer("\0\2aa", "\0"));
	assert_false(offer("\0\2me", "\xff"));
	assert_int_equal(sends(), LEASE6_REQUEST);
	assert_memory_equal(d.lease.server.p, "\0\2aa", 4);
}

static void a_server_that_breaks_its_offer_is_the_last_choice(void **state)
{
	(void)state;
	/* the first refusal may be due to another machine */
	start();
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(sends(), LEASE6_SOLICIT);
		assert_true(offer("\0\2me", "\xff"));
		assert_int_equal(sends(), LEASE6_REQUEST);
		reply(0, &hour, 2);
		assert_true(takes());
	}
	choose_the_other();
	/* and one that is silent */
	start();
	assert_int_equal(sends(), LEASE6_SOLICIT);
	assert_true(offer("\0\2me", "\xff"));
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(sends(), LEASE6_REQUEST);
	choose_the_other();
	/* without others it is asked again */
	start();
	d.broke.len = 4;
	memcpy(d.broke.p, "\0\2me", 4);
	assert_int_equal(sends(), LEASE6_SOLICIT);
	assert_false(offer("\0\2me", "\xff"));
	assert_int_equal(sends(), LEASE6_SOLICIT);
	assert_int_equal(sends(), LEASE6_REQUEST);
}

/* Kea and dhcpd advertise such an address if their configuration says so. */
/* Else it would count as one that does not answer. */
static void an_error_that_may_pass_is_remembered(void **state)
{
	(void)state;
	start();
	sends();
	assert_true(offer("\0\2me", "\xff"));
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(sends(), LEASE6_REQUEST);
		reply(0, &hour, i & 1 ? LEASE6_MULTICAST : LEASE6_UNSPEC);
		assert_false(takes());
	}
	assert_int_equal(d.refused, LEASE6_MULTICAST);
	assert_int_equal(sends(), LEASE6_SOLICIT);
	/* an answer with neither an address nor a reason is no success */
	reply(0, &hour, 0);
	assert_false(takes());
	assert_int_equal(d.refused, LEASE6_NO_ADDRS);
	bound();
	net_lease6_renewal(&d, 3, now + 1800000);
	sends();
	reply(0, &hour, LEASE6_UNSPEC);
	assert_false(takes());
	assert_int_equal(d.refused, LEASE6_UNSPEC);
}

static void an_address_for_no_time_is_none(void **state)
{
	static const struct times none = { 0, 0, 0, 0 };

	(void)state;
	start();
	sends();
	begin(2);
	add_ia(0x77, &none, 0, 0);
	assert_false(takes());
	assert_false(d.offered);
	assert_int_equal(d.refused, LEASE6_NO_ADDRS);
}

static void a_renewal_keeps_the_address_or_ends(void **state)
{
	static const struct times withdrawn = { 0, 0, 0, 0 };

	(void)state;
	bound();
	net_lease6_renewal(&d, 3, now + 1800000);
	assert_int_equal(sends(), LEASE6_RENEW);
	assert_in_range(d.due - now, 9000, 11000);
	reply(0x78, &hour, 0);
	assert_false(takes());
	assert_true(d.other);
	reply(0, &hour, 1);
	assert_false(takes());
	reply(0x77, &hour, 0);
	assert_true(takes());
	assert_int_equal(d.state, LEASE6_BOUND);
	assert_int_equal(d.bound, d.sent);
	/* withdrawn */
	net_lease6_renewal(&d, 3, now + 1800000);
	sends();
	reply(0x77, &withdrawn, 0);
	assert_true(takes());
	assert_int_equal(d.state, LEASE6_LOST);
	assert_int_equal(d.due, UINT64_MAX);
	/* T2 */
	bound();
	net_lease6_renewal(&d, 3, d.bound + 2880000);
	assert_int_equal(sends(), LEASE6_REBIND);
	while (d.due < d.bound + 7320000)
		assert_int_equal(sends(), LEASE6_REBIND);
}

/* Servers have forgotten it then: it is asked for anew, and no other one. */
static void a_lease_that_has_ended_is_asked_for_again(void **state)
{
	static const struct times longer = { 7200, 14400, 0, 0 };
	uint64_t ended;

	(void)state;
	for (unsigned refused = 0; refused < 2; refused++) {
		bound();
		ended = d.bound + 7200000 + 120000;
		net_lease6_renewal(&d, 3, ended);
		assert_int_equal(sends(), LEASE6_SOLICIT);
		assert_int_equal(now, ended);
		/* IA_NA with the address that is wanted */
		assert_non_null(memmem(sent, sent_len, d.lease.addr.ip, 16));
		offers(0x78, &longer);
		assert_false(takes());
		assert_true(d.other);
		offers(0x77, &longer);
		assert_true(takes());
		/* an offer makes it no younger */
		assert_int_equal(d.lease.valid, 7200);
		assert_int_equal(sends(), LEASE6_REQUEST);
		reply(refused ? 0 : 0x77, &longer, refused ? 2 : 0);
		assert_true(takes());
		assert_int_equal(d.state,
				 refused ? LEASE6_SOLICITING : LEASE6_BOUND);
		assert_int_equal(d.lease.addr.ip[15], 0x77);
	}
	/* nobody answers the request: all are asked again */
	sends();
	offers(0x77, &longer);
	assert_true(takes());
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(sends(), LEASE6_REQUEST);
	assert_int_equal(sends(), LEASE6_SOLICIT);
}

static void a_server_without_the_lease_is_asked_once(void **state)
{
	(void)state;
	bound();
	net_lease6_renewal(&d, 3, now + 1800000);
	sends();
	reply(0, &hour, 3);
	assert_true(takes());
	assert_int_equal(sends(), LEASE6_REQUEST);
	reply(0x77, &hour, 0);
	assert_true(takes());
	assert_int_equal(d.state, LEASE6_BOUND);
	/* it gives another one, or has none: the machine keeps what it has */
	for (unsigned last = 0; last < 2; last++) {
		bound();
		net_lease6_renewal(&d, 3, now + 1800000);
		sends();
		reply(0, &hour, 3);
		assert_true(takes());
		sends();
		reply(last ? 0x78 : 0, &hour, 0);
		assert_true(takes());
		assert_int_equal(d.state, LEASE6_LOST);
		assert_int_equal(d.lease.addr.ip[15], 0x77);
	}
	/* nobody answers the request: all are asked again */
	bound();
	net_lease6_renewal(&d, 3, now + 1800000);
	sends();
	reply(0, &hour, 3);
	takes();
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(sends(), LEASE6_REQUEST);
	assert_int_equal(sends(), LEASE6_REBIND);
}

/* Asked in vain for the same address, it does not become the lease's. */
static void another_server_is_not_the_one_of_the_lease(void **state)
{
	struct duid6 giver;

	(void)state;
	bound();
	giver = d.lease.server;
	d.lease.server.p[2] ^= 1;
	net_lease6_confirm(&d, 3, now);
	assert_memory_equal(&d.lease.server, &giver, sizeof(giver));
	d.lease.server.p[2] ^= 1;
	net_lease6_renewal(&d, 3, now);
	assert_memory_equal(&d.lease.server, &giver, sizeof(giver));
}

static void a_machine_that_was_suspended_asks(void **state)
{
	unsigned n = 0;

	(void)state;
	bound();
	net_lease6_confirm(&d, 3, now);
	assert_int_equal(sends(), LEASE6_CONFIRM);
	begin(7);
	add(13, "\0\0", 2);
	assert_true(takes());
	assert_int_equal(d.state, LEASE6_BOUND);
	assert_false(d.moved);
	net_lease6_confirm(&d, 3, now);
	sends();
	begin(7);
	add(13, "\0\4", 2);
	assert_true(takes());
	assert_true(d.moved);
	/* another server may have the network of the address */
	assert_int_equal(sends(), LEASE6_SOLICIT);
	offers(0x78, &hour);
	assert_false(takes());
	offers(0x77, &hour);
	assert_true(takes());
	assert_int_equal(sends(), LEASE6_REQUEST);
	reply(0x77, &hour, 0);
	assert_true(takes());
	assert_int_equal(d.state, LEASE6_BOUND);
	assert_false(d.moved);
	/* silence is a yes, after 10 s */
	net_lease6_confirm(&d, 3, now);
	while (sends() == LEASE6_CONFIRM)
		n++;
	assert_in_range(n, 3, 6);
	assert_int_equal(now - d.first, 10000);
	assert_int_equal(d.state, LEASE6_BOUND);
}

static void a_lease_is_given_back(void **state)
{
	(void)state;
	bound();
	net_lease6_release(&d, 3, now);
	assert_int_equal(sends(), LEASE6_RELEASE);
	begin(7);
	add(13, "\0\3", 2);
	assert_true(takes());
	assert_int_equal(d.state, LEASE6_LOST);
	bound();
	net_lease6_release(&d, 3, now);
	assert_int_equal(sends(), LEASE6_RELEASE);
	assert_int_equal(sends(), LEASE6_RELEASE);
	assert_int_equal(sends(), 0);
	assert_int_equal(d.state, LEASE6_LOST);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_option_is_read),
		cmocka_unit_test(nothing_is_read_beyond_the_end_of_any_cut),
		cmocka_unit_test(what_is_not_for_us_is_no_answer),
		cmocka_unit_test(the_right_address_is_taken),
		cmocka_unit_test(a_status_anywhere_refuses),
		cmocka_unit_test(times_are_kept_apart_and_in_order),
		cmocka_unit_test(the_identity_is_that_of_the_machine),
		cmocka_unit_test(the_longest_message_fits),
		cmocka_unit_test(the_best_of_a_second_is_asked),
		cmocka_unit_test(a_root_path_that_is_needed_is_waited_for),
		cmocka_unit_test(who_refuses_is_asked_less_and_less_often),
		cmocka_unit_test(
			a_server_that_breaks_its_offer_is_the_last_choice),
		cmocka_unit_test(an_error_that_may_pass_is_remembered),
		cmocka_unit_test(an_address_for_no_time_is_none),
		cmocka_unit_test(a_renewal_keeps_the_address_or_ends),
		cmocka_unit_test(a_lease_that_has_ended_is_asked_for_again),
		cmocka_unit_test(a_server_without_the_lease_is_asked_once),
		cmocka_unit_test(another_server_is_not_the_one_of_the_lease),
		cmocka_unit_test(a_machine_that_was_suspended_asks),
		cmocka_unit_test(a_lease_is_given_back),
	};

	return cmocka_run_group_tests_name("lease6", tests, NULL, NULL);
}
