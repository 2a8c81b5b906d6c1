/* SPDX-License-Identifier: BSD-2-Clause */
/* A client of stateless DHCPv6: its messages, its clock, hostile replies. */
#include "boot/net/dhcp6.h"

#include "tests/guard.h"
#include "tests/unit.h"

#define XID 0xabcdef

static const uint8_t mac[6] = { 0x52, 0x54, 0, 1, 2, 3 };
static struct dhcp6_reply r;
static struct guard guard;

/* ---- replies ---- */

static uint8_t msg[1024];
static size_t len;

static void add(unsigned code, const void *data, size_t n)
{
	uint8_t *p = msg + len;

	p[0] = (uint8_t)(code >> 8);
	p[1] = (uint8_t)code;
	p[2] = (uint8_t)(n >> 8);
	p[3] = (uint8_t)n;
	memcpy(p + 4, data, n);
	len += 4 + n;
}

#define ADD(code, text) add(code, text, sizeof(text) - 1)

static void begin(void)
{
	memcpy(msg, "\7\xab\xcd\xef", 4);
	len = 4;
}

static void add_ids(void)
{
	ADD(1, "\0\3\0\1\x52\x54\0\1\2\3");
	ADD(2, "\0\2\0\0server");
}

static void reply(void)
{
	begin();
	add_ids();
}

/* Is the message taken, in front of an unreadable page? */
static bool takes(size_t n)
{
	return boot_dhcp6_parse(guard_copy(&guard, msg, n), n, XID, mac, &r);
}

#define SERVER "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0"

static void full(void)
{
	reply();
	ADD(13, "\0\0fine");
	ADD(23, SERVER "\x53" SERVER "\x54");
	ADD(24, "\7example\3org\0\5other\4test\0");
	ADD(32, "\0\1\x51\x80");
	ADD(59, "nbd://[2001:db8::1]/root");
}

static void a_reply_is_read(void **state)
{
	(void)state;
	full();
	assert_true(takes(len));
	assert_int_equal(r.n_dns, 2);
	assert_memory_equal(r.dns[0].ip, SERVER "\x53", 16);
	assert_memory_equal(r.dns[1].ip, SERVER "\x54", 16);
	assert_string_equal(r.domain, "example.org other.test");
	assert_string_equal(r.url, "nbd://[2001:db8::1]/root");
	/* nothing but the IDs is an answer, too */
	reply();
	assert_true(takes(len));
	assert_int_equal(r.n_dns, 0);
	assert_string_equal(r.domain, "");
	assert_string_equal(r.url, "");
}

/* A cut at the end of an option cannot be seen. */
static void each_cut_is_refused(void **state)
{
	bool whole[sizeof(msg)] = { false };
	size_t at;

	(void)state;
	full();
	for (at = 4; at <= len; at += 4u + msg[at + 3])
		whole[at] = at >= 4 + 14 + 14;
	for (size_t n = 0; n <= len; n++)
		assert_int_equal(takes(n), whole[n]);
}

static void another_machine_s_reply_is_refused(void **state)
{
	(void)state;
	/* the type and the transaction ID, our ID with its head */
	for (size_t at = 0; at < 4 + 14; at++) {
		full();
		msg[at] ^= 0x40;
		assert_false(takes(len));
	}
	begin();
	ADD(2, "\0\2\0\0server");
	assert_false(takes(len));
	begin();
	ADD(1, "\0\3\0\1\x52\x54\0\1\2\3\4");
	ADD(2, "\0\2\0\0server");
	assert_false(takes(len));
}

static void a_server_without_a_good_id_is_refused(void **state)
{
	static const uint8_t id[131];

	(void)state;
	begin();
	ADD(1, "\0\3\0\1\x52\x54\0\1\2\3");
	assert_false(takes(len));
	for (size_t n = 0; n <= sizeof(id); n++) {
		begin();
		ADD(1, "\0\3\0\1\x52\x54\0\1\2\3");
		add(2, id, n);
		assert_int_equal(takes(len), n >= 3 && n <= 130);
	}
}

static void ids_that_come_twice_are_refused(void **state)
{
	(void)state;
	reply();
	ADD(1, "\0\3\0\1\x52\x54\0\1\2\3");
	assert_false(takes(len));
	reply();
	ADD(2, "\0\2\0\0server");
	assert_false(takes(len));
	/* of other options the first counts */
	full();
	ADD(23, SERVER "\x55");
	ADD(24, "\3bad\0");
	ADD(59, "nbd://bad/");
	assert_true(takes(len));
	assert_int_equal(r.n_dns, 2);
	assert_string_equal(r.domain, "example.org other.test");
	assert_string_equal(r.url, "nbd://[2001:db8::1]/root");
}

static void an_error_status_is_no_answer(void **state)
{
	(void)state;
	reply();
	ADD(13, "\0\1no");
	assert_false(takes(len));
	reply();
	ADD(13, "\0");
	assert_false(takes(len));
}

static void an_option_longer_than_the_message_is_refused(void **state)
{
	(void)state;
	reply();
	ADD(99, "\1\2\3");
	assert_true(takes(len));
	for (unsigned n = 4; n < 0x10000; n += 251) {
		msg[len - 5] = (uint8_t)(n >> 8);
		msg[len - 4] = (uint8_t)n;
		assert_false(takes(len));
	}
}

/* The first report of an option that did not fit; NULL: all of them fit. */
static void left_out(const char *text)
{
	unsigned at = 0;
	const char *said = boot_dhcp6_left(&r, &at);

	if (text)
		assert_memory_equal(said, text, strlen(text));
	else
		assert_null(said);
	assert_true(!said || !boot_dhcp6_left(&r, &at));
}

static void addresses_of_no_server_are_left_out(void **state)
{
	static const uint8_t some[5 * 16] = {
		[0] = 0xff,  [1] = 2,	  [15] = 1, /* multicast */
		[31] = 0,			    /* none */
		[47] = 1,			    /* loopback */
		[48] = 0xfe, [49] = 0x80, [63] = 1, /* link-local */
		[64] = 0x20, [79] = 2,
	};

	(void)state;
	reply();
	add(23, some, sizeof(some));
	assert_true(takes(len));
	assert_int_equal(r.n_dns, 2);
	assert_memory_equal(r.dns[0].ip, some + 48, 16);
	assert_memory_equal(r.dns[1].ip, some + 64, 16);
	left_out("DNS");
	/* of a length that is no multiple of an address, the whole ones */
	for (size_t n = 0; n < 64; n++) {
		reply();
		add(23, some + 16, n);
		assert_true(takes(len));
		assert_int_equal(r.n_dns, n >= 48);
		left_out(n ? "DNS" : NULL);
	}
	/* no more than there is room for */
	reply();
	ADD(23, SERVER "\1" SERVER "\2" SERVER "\3" SERVER "\4" SERVER
		       "\5" SERVER "\6");
	assert_true(takes(len));
	assert_int_equal(r.n_dns, DHCP6_DNS);
	left_out(NULL);
	reply();
	ADD(23, SERVER "\1" SERVER "\2" SERVER "\3" SERVER "\4" SERVER
		       "\5" SERVER "\6" SERVER "\7");
	assert_true(takes(len));
	assert_int_equal(r.n_dns, DHCP6_DNS);
	left_out("DNS");
}

static const char *domain(const void *p, size_t n)
{
	reply();
	add(24, p, n);
	assert_true(takes(len));
	return r.domain;
}

#define DOMAIN(text) domain(text, sizeof(text) - 1)

static void names_are_plain_and_whole(void **state)
{
	static const char whole[] = "\3sub\7example\3org";

	(void)state;
	for (size_t n = 0; n < sizeof(whole) - 1; n++)
		assert_string_equal(domain(whole, n), "");
	left_out("domains");
	assert_string_equal(domain(whole, sizeof(whole)), "sub.example.org");
	left_out(NULL);
	assert_string_equal(DOMAIN("\3a b\0"), "");
	/* a pointer, as in DNS messages */
	assert_string_equal(DOMAIN("\3org\0\1a\xc0\0"), "org");
}

static void a_url_is_printable_and_fits(void **state)
{
	static char long_one[513];

	(void)state;
	memset(long_one, 'x', sizeof(long_one));
	for (size_t n = 511; n <= 513; n++) {
		reply();
		add(59, long_one, n);
		assert_true(takes(len));
		assert_int_equal(strlen(r.url), n <= 512 ? n : 0);
		left_out(n <= 512 ? NULL : "the boot file");
	}
	reply();
	ADD(59, "nbd://a\n/");
	assert_true(takes(len));
	assert_string_equal(r.url, "");
	left_out("the boot file");
	reply();
	ADD(59, "nbd://a\0b/");
	assert_true(takes(len));
	assert_string_equal(r.url, "");
	/* some servers send the NUL of a text */
	reply();
	ADD(59, "nbd://a/\0\0");
	assert_true(takes(len));
	assert_string_equal(r.url, "nbd://a/");
	left_out(NULL);
	reply();
	ADD(59, "\0");
	assert_true(takes(len));
	assert_string_equal(r.url, "");
}

/* A loader is for the firmware: the first parameter of it is the root-path. */
static void parameters_may_have_the_root_path(void **state)
{
	(void)state;
	reply();
	ADD(60, "\0\5quiet\0\7nbd://s\0\7nbd://t");
	ADD(59, "tftp://a/");
	assert_true(takes(len));
	assert_string_equal(r.url, "nbd://s");
	reply();
	ADD(60, "\0\7nbd://s");
	ADD(60, "\0\7nbd://t");
	assert_true(takes(len));
	assert_string_equal(r.url, "nbd://s");
	/* that of the boot file counts more */
	ADD(59, "nbd://r");
	assert_true(takes(len));
	assert_string_equal(r.url, "nbd://r");
	/* a length that is too long ends it */
	reply();
	ADD(60, "\0\5quiet\0\10nbd://s");
	assert_true(takes(len));
	assert_string_equal(r.url, "");
	left_out(NULL);
	reply();
	ADD(60, "\0\1x\0");
	assert_true(takes(len));
	reply();
	ADD(60, "");
	assert_true(takes(len));
}

/* ---- the client ---- */

static void the_message_asks_for_what_is_read(void **state)
{
	static const uint8_t want[DHCP6_MAX] =
		"\x0b\xab\xcd\xef"
		"\0\1\0\x0a\0\3\0\1\x52\x54\0\1\2\3"
		"\0\x08\0\2\1\2"
		"\0\6\0\x0c\0\x17\0\x18\0\x20\0\x3b\0\x3c\0\x53"
		"\0\x10\0\x0d\0\0\0\0\0\7nbdboot";
	uint8_t *buf = guard_end(&guard, DHCP6_MAX);

	(void)state;
	assert_int_equal(boot_dhcp6_build(buf, XID, mac, 0x102), DHCP6_MAX);
	assert_memory_equal(buf, want, DHCP6_MAX);
}

static unsigned elapsed(const uint8_t *p)
{
	return (unsigned)p[22] << 8 | p[23];
}

static void the_pauses_double_with_a_tenth_of_chance(void **state)
{
	uint8_t p[DHCP6_MAX], first[DHCP6_MAX];
	bool differ = false;
	uint64_t delay = 0;
	struct dhcp6 d;

	(void)state;
	for (uint32_t seed = 1; seed <= 1000; seed++) {
		uint64_t now = 5000, before = 1000;

		net_dhcp6_start(&d, mac, seed, now);
		assert_in_range(d.due - now, 0, 1000);
		differ |= seed > 1 && d.due - now != delay;
		delay = d.due - now;
		now = d.due;
		assert_int_equal(net_dhcp6_send(&d, first, now), DHCP6_MAX);
		assert_int_equal(elapsed(first), 0);
		for (int i = 0; i < 16; i++) {
			uint64_t pause = d.due - now, base = before * 2;

			base = i ? base : 1000;
			before = base > 3600000 ? 3600000 : before;
			base = base > 3600000 ? 3600000 : base;
			assert_in_range(pause, base - before / 10,
					base + before / 10);
			before = pause;
			now = d.due;
			net_dhcp6_send(&d, p, now);
			assert_memory_equal(p, first, 4);
			assert_int_equal(elapsed(p),
					 (now - d.first) / 10 > 0xffff
						 ? 0xffff
						 : (now - d.first) / 10);
		}
	}
	assert_true(differ);
}

static void the_first_good_reply_ends_it(void **state)
{
	uint8_t p[DHCP6_MAX];
	struct dhcp6 d;

	(void)state;
	net_dhcp6_start(&d, mac, 1, 1000);
	full();
	msg[1] = (uint8_t)(d.xid >> 16);
	msg[2] = (uint8_t)(d.xid >> 8);
	msg[3] = (uint8_t)d.xid;
	/* it cannot be an answer yet */
	assert_false(net_dhcp6_take(&d, msg, len));
	net_dhcp6_send(&d, p, d.due);
	assert_memory_equal(p + 1, msg + 1, 3);
	assert_false(net_dhcp6_take(&d, msg, len - 1));
	assert_int_equal(d.reply.n_dns, 0);
	assert_true(net_dhcp6_take(&d, msg, len));
	assert_int_equal(d.reply.n_dns, 2);
	assert_true(d.due == UINT64_MAX);
	assert_false(net_dhcp6_take(&d, msg, len));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reply_is_read),
		cmocka_unit_test(each_cut_is_refused),
		cmocka_unit_test(another_machine_s_reply_is_refused),
		cmocka_unit_test(a_server_without_a_good_id_is_refused),
		cmocka_unit_test(ids_that_come_twice_are_refused),
		cmocka_unit_test(an_error_status_is_no_answer),
		cmocka_unit_test(an_option_longer_than_the_message_is_refused),
		cmocka_unit_test(addresses_of_no_server_are_left_out),
		cmocka_unit_test(names_are_plain_and_whole),
		cmocka_unit_test(a_url_is_printable_and_fits),
		cmocka_unit_test(parameters_may_have_the_root_path),
		cmocka_unit_test(the_message_asks_for_what_is_read),
		cmocka_unit_test(the_pauses_double_with_a_tenth_of_chance),
		cmocka_unit_test(the_first_good_reply_ends_it),
	};

	guard = guard_new(sizeof(msg));
	return cmocka_run_group_tests_name("stateless DHCPv6", tests, NULL,
					   NULL);
}
