/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of DHCP: every option, every cut, every lie. */
#include "boot/words/dhcp_msg.h"

#include "tests/guard.h"
#include "tests/unit.h"

static const uint8_t mac[6] = { 0x52, 0x54, 0, 1, 2, 3 };
#define XID 0x12345678

/* A message that is being written. */
static struct {
	uint8_t p[2048];
	size_t len;
} m;

static void add(unsigned code, const void *data, size_t len)
{
	m.p[m.len++] = (uint8_t)code;
	m.p[m.len++] = (uint8_t)len;
	memcpy(m.p + m.len, data, len);
	m.len += len;
}

static void add_text(unsigned code, const char *text)
{
	add(code, text, strlen(text));
}

static void add_time(unsigned code, uint32_t v)
{
	const uint8_t p[4] = { (uint8_t)(v >> 24), (uint8_t)(v >> 16),
			       (uint8_t)(v >> 8), (uint8_t)v };

	if (v != UINT32_MAX)
		add(code, p, 4);
}

static void begin(unsigned type)
{
	static const uint8_t head[] = { 2, 1, 6, 0, 0x12, 0x34, 0x56, 0x78 };
	const uint8_t t = (uint8_t)type;

	memset(&m, 0, sizeof(m));
	memcpy(m.p, head, sizeof(head));
	memcpy(m.p + 16, "\xc0\x00\x02\x05", 4); /* 192.0.2.5 */
	memcpy(m.p + 20, "\xc0\x00\x02\x02", 4);
	memcpy(m.p + 28, mac, 6);
	memcpy(m.p + 236, "\x63\x82\x53\x63", 4);
	m.len = 240;
	add(53, &t, 1);
	add(54, "\xc0\x00\x02\x01", 4);
}

static struct dhcp_lease l;

static int parse(void)
{
	return boot_dhcp_parse(m.p, m.len, XID, mac, &l);
}

static int parse_ended(void)
{
	m.p[m.len++] = 255;
	return parse();
}

static void every_option(void)
{
	begin(DHCP_ACK);
	add(1, "\xff\xff\xfe\x00", 4);
	add(3, "\xc0\x00\x02\x01\xc0\x00\x02\x09", 8);
	add(6, "\1\1\1\1\2\2\2\2\3\3\3\3\4\4\4\4", 16);
	add_text(12, "host-1");
	add_text(15, "example.org");
	add_text(17, "nbd://[2001:db8::1]/root image");
	add(26, "\x05\x78", 2);
	add(51, "\x00\x00\x0e\x10", 4);
	add(58, "\x00\x00\x03\xe8", 4);
	add(59, "\x00\x00\x07\xd0", 4);
	add(121, "\x18\xc6\x33\x64\xc0\x00\x02\x01\x00\xc0\x00\x02\x01", 13);
	add(200, "unknown", 7);
}

static void every_option_is_read(void **state)
{
	struct dhcp_route r;
	unsigned at = 0;

	(void)state;
	every_option();
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_memory_equal(l.addr.ip, "\xc0\x00\x02\x05", 4);
	assert_memory_equal(l.next.ip, "\xc0\x00\x02\x02", 4);
	assert_memory_equal(l.server.ip, "\xc0\x00\x02\x01", 4);
	assert_memory_equal(l.router.ip, "\xc0\x00\x02\x01", 4);
	assert_int_equal(l.addr.prefix, 23);
	assert_int_equal(l.n_dns, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_memory_equal(l.dns[i].ip,
				    &"\1\1\1\1\2\2\2\2\3\3\3\3\4\4\4\4"[4 * i],
				    4);
	assert_int_equal(l.left, 0);
	assert_string_equal(l.host, "host-1");
	assert_string_equal(l.domain, "example.org");
	assert_string_equal(l.root_path, "nbd://[2001:db8::1]/root image");
	assert_int_equal(l.mtu, 1400);
	assert_int_equal(l.seconds, 3600);
	assert_int_equal(l.t1, 1000);
	assert_int_equal(l.t2, 2000);
	assert_true(boot_dhcp_route(&l, &at, &r));
	assert_int_equal(r.to.prefix, 24);
	assert_memory_equal(r.to.ip, "\xc6\x33\x64\x00", 4);
	assert_memory_equal(r.via.ip, "\xc0\x00\x02\x01", 4);
	assert_true(boot_dhcp_route(&l, &at, &r));
	assert_int_equal(r.to.prefix, 0);
	assert_false(boot_dhcp_route(&l, &at, &r));
}

static void what_is_not_given_has_its_default(void **state)
{
	(void)state;
	begin(DHCP_OFFER);
	assert_int_equal(parse_ended(), DHCP_OFFER);
	assert_int_equal(l.addr.prefix, 24); /* of class C */
	assert_int_equal(l.seconds, UINT32_MAX);
	assert_int_equal(l.t1, UINT32_MAX / 2);
	assert_int_equal(l.n_dns + l.mtu + l.route_bytes, 0);
	assert_string_equal(l.host, "");
	assert_string_equal(l.root_path, "");
	/* without the end mark too */
	begin(DHCP_OFFER);
	assert_int_equal(parse(), DHCP_OFFER);
	begin(DHCP_OFFER);
	add(51, "\x00\x00\x00\x64", 4);
	assert_int_equal(parse(), DHCP_OFFER);
	assert_int_equal(l.t1, 50);
	assert_int_equal(l.t2, 88);
}

static void times_that_contradict_each_other_are_put_in_order(void **state)
{
	static const struct {
		uint32_t lease, t1, t2; /* UINT32_MAX: not sent */
		uint32_t is[3];
	} t[] = {
		{ 9, 256, 512, { 9, 4, 8 } },
		{ 9, 8, 2, { 9, 4, 4 } },
		{ 1, 1, 1, { 1, 1, 1 } },
		/* no client can keep a time of 0 */
		{ 0, 0, 0, { 3600, 1800, 3150 } },
		{ 0, UINT32_MAX, UINT32_MAX, { 3600, 1800, 3150 } },
		{ 3600, 0, 0, { 3600, 1800, 3150 } },
		{ 3600, 0, 1000, { 3600, 500, 1000 } },
		{ UINT32_MAX - 1,
		  UINT32_MAX - 1,
		  0,
		  { UINT32_MAX - 1, 0x6fffffff, 0xdfffffff } },
		/* nor is it asked for each second */
		{ 3600, 1, 1, { 3600, 60, 60 } },
		{ 3600, 30, 3150, { 3600, 60, 3150 } },
		{ 100, 1, 88, { 100, 50, 88 } },
		{ 20, 10, 15, { 20, 10, 15 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		begin(DHCP_ACK);
		add_time(51, t[i].lease);
		add_time(58, t[i].t1);
		add_time(59, t[i].t2);
		assert_int_equal(parse(), DHCP_ACK);
		assert_int_equal(l.seconds, t[i].is[0]);
		assert_int_equal(l.t1, t[i].is[1]);
		assert_int_equal(l.t2, t[i].is[2]);
	}
}

static void options_of_another_length_count_as_not_given(void **state)
{
	static const struct {
		unsigned code, len;
	} t[] = { { 1, 3 },  { 1, 5 },	{ 3, 3 },  { 6, 3 },  { 26, 1 },
		  { 26, 3 }, { 51, 3 }, { 51, 5 }, { 58, 0 }, { 59, 8 } };
	uint8_t ff[70];

	(void)state;
	memset(ff, 'x', sizeof(ff));
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct dhcp_lease none;

		begin(DHCP_ACK);
		assert_int_equal(parse(), DHCP_ACK);
		memcpy(&none, &l, sizeof(l));
		add(t[i].code, ff, t[i].len);
		assert_int_equal(parse_ended(), DHCP_ACK);
		assert_int_equal(l.left, t[i].len ? DHCP_LEFT_VALUE : 0);
		l.left = 0;
		assert_memory_equal(&l, &none, sizeof(l));
	}
	/* a mask with a hole is none */
	begin(DHCP_ACK);
	add(1, "\xff\x00\xff\x00", 4);
	assert_int_equal(parse(), DHCP_ACK);
	assert_int_equal(l.addr.prefix, 24);
	assert_int_equal(l.left, DHCP_LEFT_VALUE);
	/* of servers the whole ones count */
	begin(DHCP_ACK);
	add(6, "\1\1\1\1\2\2", 6);
	assert_int_equal(parse(), DHCP_ACK);
	assert_int_equal(l.n_dns, 1);
	assert_int_equal(l.left, DHCP_LEFT_VALUE);
	/* every host takes 576 bytes */
	for (unsigned mtu = 574; mtu < 578; mtu++) {
		const uint8_t v[2] = { (uint8_t)(mtu >> 8), (uint8_t)mtu };

		begin(DHCP_ACK);
		add(26, v, 2);
		assert_int_equal(parse(), DHCP_ACK);
		assert_int_equal(l.mtu, mtu < 576 ? 0 : mtu);
		assert_int_equal(l.left, mtu < 576 ? DHCP_LEFT_VALUE : 0);
	}
}

static void names_and_paths_hold_harmless_characters_only(void **state)
{
	static const struct {
		unsigned code;
		const char *text, *is;
	} t[] = {
		{ 12, "a b", "" },
		{ 12, "a;reboot", "" },
		{ 12, "a'b", "" },
		{ 12, "a\nb", "" },
		{ 12, "A_z-0.9", "A_z-0.9" },
		{ 15, "x\n.y", "" },
		{ 15, "\xc3\xa4", "" },
		/* several names, where RFC 2132 has one */
		{ 15, "a.org b.a.org", "a.org b.a.org" },
		{ 15, "a.org, b.a.org", "a.org b.a.org" },
		{ 15, " a.org  c;d,e ", "a.org e" },
		{ 15, "'a' b", "b" },
		{ 17, "a\nb", "" },
		{ 17, "a\x7f", "" },
		{ 17, "\x1b[0m", "" },
		{ 17, "a'b c", "a'b c" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		begin(DHCP_ACK);
		add_text(t[i].code, t[i].text);
		assert_int_equal(parse_ended(), DHCP_ACK);
		assert_string_equal(t[i].code == 12   ? l.host
				    : t[i].code == 15 ? l.domain
						      : l.root_path,
				    t[i].is);
	}
	/* Windows servers count the NUL */
	begin(DHCP_ACK);
	add(17, "path\0", 5);
	add(12, "a\0b", 3);
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_string_equal(l.root_path, "path");
	assert_string_equal(l.host, "");
}

static void parts_of_an_option_are_joined(void **state)
{
	char text[513];

	(void)state;
	memset(text, 'p', 512);
	text[512] = '\0';
	begin(DHCP_ACK);
	add(17, text, 255);
	add(12, "ho", 2);
	add(17, text, 255);
	add(12, "st", 2);
	add(17, text, 2);
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_string_equal(l.root_path, text);
	assert_string_equal(l.host, "host");
	/* one byte too long: not given, and nothing is cut */
	m.len--;
	add(17, text, 1);
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_string_equal(l.root_path, "");
	/* and it stays so, however much there is */
	for (int i = 0; i < 3; i++)
		add(17, text, 255);
	m.len = 240;
	begin(DHCP_ACK);
	for (int i = 0; i < 5; i++)
		add(17, text, 255);
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_string_equal(l.root_path, "");
}

static void a_name_that_is_too_long_is_cut(void **state)
{
	char text[256], want[256];

	(void)state;
	memset(text, 'h', 255);
	text[255] = '\0';
	begin(DHCP_ACK);
	add(12, text, 64);
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_int_equal(strlen(l.host), 64);
	assert_false(l.cut);
	begin(DHCP_ACK);
	add(12, text, 70);
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_int_equal(strlen(l.host), 64);
	assert_true(l.cut);
	/* at its first label, if that fits */
	text[10] = '.';
	begin(DHCP_ACK);
	add(12, text, 255);
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_string_equal(l.host, "hhhhhhhhhh");
	assert_true(l.cut);
	/* names to look in come before it */
	begin(DHCP_ACK);
	add_text(15, "example.org");
	add(119, "\3eng\5apple\3com\0", 15);
	add(119, "\3mkt\xc0\4", 6);
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_string_equal(l.domain, "eng.apple.com mkt.apple.com");
	/* of domains, the whole ones that fit */
	for (int i = 0; i < 255; i++)
		text[i] = i % 16 ? 'd' : ' ';
	begin(DHCP_ACK);
	add(15, text + 1, 255);
	add(15, text, 100);
	assert_int_equal(parse_ended(), DHCP_ACK);
	memcpy(want, text + 1, 239);
	want[239] = '\0';
	assert_string_equal(l.domain, want);
	assert_int_equal(l.left, DHCP_LEFT_NAMES);
	text[255] = 'd';
	begin(DHCP_ACK);
	add(15, text + 1, 255);
	assert_int_equal(parse_ended(), DHCP_ACK);
	memcpy(want, text + 1, 255);
	want[255] = '\0';
	assert_string_equal(l.domain, want);
}

static void file_and_sname_hold_options_if_overload_says_so(void **state)
{
	(void)state;
	for (unsigned where = 0; where < 5; where++) {
		const uint8_t w = (uint8_t)where;

		begin(DHCP_ACK);
		memcpy(m.p + 108,
		       "\x0c\x04"
		       "file\xff",
		       7);
		memcpy(m.p + 44, "\x0f\x05sname\xff", 8);
		add(52, &w, 1);
		assert_int_equal(parse_ended(), DHCP_ACK);
		assert_string_equal(l.host, where & 1 ? "file" : "");
		assert_string_equal(l.domain, where & 2 ? "sname" : "");
	}
	/* an option that sticks out of its field */
	begin(DHCP_ACK);
	memset(m.p + 108, 0, 128);
	m.p[108 + 126] = 12;
	m.p[108 + 127] = 1;
	add(52, "\1", 1);
	assert_int_equal(parse_ended(), 0);
	/* what overload says inside of overload has no effect */
	begin(DHCP_ACK);
	memcpy(m.p + 108, "\x34\x01\x03\xff", 4);
	memcpy(m.p + 44, "\x0f\x05sname\xff", 8);
	add(52, "\1", 1);
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_string_equal(l.domain, "");
}

static void spoil(size_t at, unsigned value)
{
	begin(DHCP_ACK);
	m.p[at] = (uint8_t)value;
	assert_int_equal(parse_ended(), 0);
}

static void what_is_not_for_us_is_no_answer(void **state)
{
	static const uint8_t bad[][4] = { { 0, 1, 1, 1 },
					  { 127, 0, 0, 1 },
					  { 224, 0, 0, 1 },
					  { 255, 255, 255, 255 } };

	(void)state;
	spoil(0, 1);	/* a request */
	spoil(7, 0);	/* another xid */
	spoil(33, 9);	/* another MAC */
	spoil(239, 0);	/* no cookie */
	spoil(242, 4);	/* DECLINE is no answer */
	spoil(240, 55); /* no type */
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		begin(DHCP_ACK);
		memcpy(m.p + 16, bad[i], 4);
		assert_int_equal(parse_ended(), 0);
	}
	/* a server for PXE alone offers none */
	begin(DHCP_OFFER);
	memset(m.p + 16, 0, 4);
	assert_int_equal(parse_ended(), DHCP_PROXY);
	begin(DHCP_ACK);
	memset(m.p + 16, 0, 4);
	assert_int_equal(parse_ended(), 0);
	/* an offer and a NAK need a server, an ACK does not */
	for (unsigned type = DHCP_OFFER; type <= DHCP_NAK; type++) {
		begin(type);
		m.p[243] = 55;
		assert_int_equal(parse_ended(), type == DHCP_ACK ? type : 0);
	}
	/* a NAK needs no address */
	begin(DHCP_NAK);
	memset(m.p + 16, 0, 4);
	assert_int_equal(parse_ended(), DHCP_NAK);
	assert_memory_equal(l.server.ip, "\xc0\x00\x02\x01", 4);
}

static void nothing_is_read_beyond_the_end_of_any_cut(void **state)
{
	struct guard g = guard_new(1024);

	(void)state;
	every_option();
	m.p[m.len++] = 255;
	for (size_t n = 0; n <= m.len; n++) {
		int type = boot_dhcp_parse(guard_copy(&g, m.p, n), n, XID, mac,
					   &l);

		/* a cut between two options cannot be seen */
		assert_true(type == DHCP_ACK || type == 0);
		if (n < 243 || n == m.len)
			assert_int_equal(type, n == m.len ? DHCP_ACK : 0);
	}
	guard_free(&g);
}

static void malformed_routes_end_the_list(void **state)
{
	static const struct {
		const char *bytes;
		unsigned len, n;
		bool wrong;
	} t[] = {
		{ "\x21\x01\x02\x03\x04\x05\x06\x07\x08\x09", 10, 0, true },
		{ "\x18\xc6\x33\x64\xc0\x00\x02", 7, 0, true },
		{ "\x00\xc0\x00\x02\x01\x08", 6, 1, true },
		{ "\x20\x01\x02\x03\x04\x05\x06\x07\x08", 9, 1, false },
		{ "", 0, 0, false },
	};
	struct dhcp_route r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		unsigned at = 0, n = 0;

		begin(DHCP_ACK);
		add(121, t[i].bytes, t[i].len);
		assert_int_equal(parse_ended(), DHCP_ACK);
		while (boot_dhcp_route(&l, &at, &r))
			n++;
		assert_int_equal(n, t[i].n);
		assert_int_equal(l.left, t[i].wrong ? DHCP_LEFT_ROUTES : 0);
	}
}

/* The kernel takes no route whose address has bits behind its prefix. */
static void a_route_has_no_bits_behind_its_prefix(void **state)
{
	struct dhcp_route r;
	unsigned at = 0;

	(void)state;
	begin(DHCP_ACK);
	add(121, "\x0c\x0a\x63\xc0\0\2\1", 7);
	add(121, "\x19\x81\xd2\xb1\x84\xc0\0\2\1", 9);
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_true(boot_dhcp_route(&l, &at, &r));
	assert_memory_equal(r.to.ip, "\x0a\x60\0\0", 4);
	assert_true(boot_dhcp_route(&l, &at, &r));
	assert_memory_equal(r.to.ip, "\x81\xd2\xb1\x80", 4);
}

/* What is left of them is not dropped with those that have no room. */
static unsigned routes_of(unsigned code, unsigned sent, const char *bytes,
			  size_t len)
{
	struct dhcp_route r;
	unsigned at = 0, n = 0;

	begin(DHCP_ACK);
	while (sent--)
		add(code, bytes, len);
	assert_int_equal(parse_ended(), DHCP_ACK);
	while (boot_dhcp_route(&l, &at, &r))
		n++;
	return n;
}

static void of_many_routes_those_that_fit_are_taken(void **state)
{
	static const char c[] = "\x18\xc6\x33\x64\xc0\0\2\1";
	static const char all[] = "\0\xc0\0\2\1"; /* 510 / 5 is whole */

	(void)state;
	assert_int_equal(routes_of(121, 63, c, 8), 63);
	assert_int_equal(l.left, 0);
	assert_int_equal(routes_of(121, 80, c, 8), 63);
	assert_int_equal(l.left, DHCP_LEFT_ROUTES);
	assert_int_equal(routes_of(121, 102, all, 5), 102);
	assert_int_equal(l.left, 0);
	assert_int_equal(routes_of(121, 103, all, 5), 102);
	assert_int_equal(l.left, DHCP_LEFT_ROUTES);
	/* the same in the words of Windows, unless there are those */
	assert_int_equal(routes_of(249, 2, c, 8), 2);
	begin(DHCP_ACK);
	add(249, c, 8);
	add(249, c, 8);
	add(121, all, 5);
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_int_equal(l.route_bytes, 5);
}

static void left_out(const char *a, const char *b)
{
	unsigned at = 0;
	const char *text = boot_dhcp_left(&l, &at);

	assert_true(a ? text && strstr(text, a) : !text);
	if (!a)
		return;
	text = boot_dhcp_left(&l, &at);
	assert_true(b ? text && strstr(text, b) : !text);
}

static void what_is_left_out_is_said(void **state)
{
	char text[255];

	(void)state;
	memset(text, 'p', sizeof(text));
	begin(DHCP_ACK);
	add(12, "host", 4);
	add(17, "path", 4);
	add(121, "\0\xc0\0\2\1", 5);
	assert_int_equal(parse_ended(), DHCP_ACK);
	left_out(NULL, NULL);
	/* some servers send an empty text so */
	begin(DHCP_ACK);
	add(12, "\0", 1);
	add(17, "\0", 1);
	assert_int_equal(parse_ended(), DHCP_ACK);
	left_out(NULL, NULL);
	begin(DHCP_ACK);
	add(12, "a b", 3);
	add(17, "p\xc3\xa4th", 6);
	assert_int_equal(parse_ended(), DHCP_ACK);
	left_out("host name", "root-path");
	begin(DHCP_ACK);
	for (int i = 0; i < 3; i++)
		add(17, text, 255);
	add(121, "\x21", 1);
	assert_int_equal(parse_ended(), DHCP_ACK);
	left_out("root-path", "routes");
}

/* Servers, domains and values; what stands in their place is there. */
static void of_lists_what_is_left_out_is_said(void **state)
{
	char dns[4 * 8];

	(void)state;
	memset(dns, 1, sizeof(dns));
	begin(DHCP_ACK);
	add(6, dns, 24);
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_int_equal(l.n_dns, 6);
	left_out(NULL, NULL);
	begin(DHCP_ACK);
	add(6, dns, 20);
	add(6, dns, 8);
	add(119, "\3a b\0\3org\0", 10);
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_int_equal(l.n_dns, 6);
	assert_string_equal(l.domain, "org");
	left_out("DNS", "domains");
	/* one that cannot be read: the next best */
	begin(DHCP_ACK);
	add(119, "\3org", 4);
	add_text(15, "example.org");
	add(26, "\0\x44", 2);
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_string_equal(l.domain, "example.org");
	left_out("domains", "MTU");
	begin(DHCP_ACK);
	add_text(15, "a;b org");
	assert_int_equal(parse_ended(), DHCP_ACK);
	assert_string_equal(l.domain, "org");
	left_out("domains", NULL);
}

/* The value of an option of a message of ours. */
static const uint8_t *option(const uint8_t *p, unsigned code)
{
	for (p += 240; *p != 255; p += 2 + p[1])
		if (*p == code)
			return p + 2;
	return NULL;
}

static void a_query_names_the_client_and_its_wishes(void **state)
{
	static const struct dhcp_lease ours = {
		.addr = { 4, 32, { 192, 0, 2, 5 } },
		.server = { 4, 32, { 192, 0, 2, 1 } }
	};
	struct dhcp_query q = { .type = DHCP_REQUEST,
				.xid = XID,
				.secs = 0x0102,
				.ours = &ours,
				.host = "me" };
	uint8_t buf[DHCP_MAX];

	(void)state;
	memcpy(q.mac, mac, 6);
	assert_int_equal(boot_dhcp_build(buf, &q), 300);
	assert_memory_equal(buf, "\1\1\6\0\x12\x34\x56\x78\1\2\0\0", 12);
	assert_memory_equal(buf + 28, mac, 6);
	assert_int_equal(*option(buf, 53), 3);
	assert_memory_equal(option(buf, 50), ours.addr.ip, 4);
	assert_memory_equal(option(buf, 54), ours.server.ip, 4);
	assert_memory_equal(option(buf, 61), "\1\x52\x54\0\1\2\3", 7);
	assert_memory_equal(option(buf, 12), "me", 2);
	assert_memory_equal(option(buf, 60), "nbdboot", 7);
	assert_memory_equal(option(buf, 57), "\x02\x40", 2);
	q.max = 1500;
	boot_dhcp_build(buf, &q);
	assert_memory_equal(option(buf, 57), "\x05\xdc", 2);
	/* RFC 2132, 9.10: at least */
	q.max = 68;
	boot_dhcp_build(buf, &q);
	assert_memory_equal(option(buf, 57), "\x02\x40", 2);
	/* RFC 3442: 121 is asked for before 3 */
	assert_true(memchr(option(buf, 55), 121, 11) <
		    memchr(option(buf, 55), 3, 11));
	assert_int_equal(buf[10] | buf[11], 0);
	q.broadcast = true;
	boot_dhcp_build(buf, &q);
	assert_int_equal(buf[10] << 8 | buf[11], 0x8000);
	q.type = DHCP_DISCOVER;
	q.ours = NULL;
	q.host = "";
	boot_dhcp_build(buf, &q);
	assert_null(option(buf, 50));
	assert_null(option(buf, 54));
	assert_null(option(buf, 12));
}

static void the_longest_query_fits(void **state)
{
	static const struct dhcp_lease ours;
	struct dhcp_query q = { .type = DHCP_REQUEST, .ours = &ours };
	struct guard g = guard_new(DHCP_MAX);
	char host[65];

	(void)state;
	memset(host, 'h', 64);
	host[64] = '\0';
	q.host = host;
	assert_true(boot_dhcp_build(guard_end(&g, DHCP_MAX), &q) <= DHCP_MAX);
	guard_free(&g);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_option_is_read),
		cmocka_unit_test(what_is_not_given_has_its_default),
		cmocka_unit_test(
			times_that_contradict_each_other_are_put_in_order),
		cmocka_unit_test(options_of_another_length_count_as_not_given),
		cmocka_unit_test(names_and_paths_hold_harmless_characters_only),
		cmocka_unit_test(parts_of_an_option_are_joined),
		cmocka_unit_test(a_name_that_is_too_long_is_cut),
		cmocka_unit_test(
			file_and_sname_hold_options_if_overload_says_so),
		cmocka_unit_test(what_is_not_for_us_is_no_answer),
		cmocka_unit_test(nothing_is_read_beyond_the_end_of_any_cut),
		cmocka_unit_test(malformed_routes_end_the_list),
		cmocka_unit_test(a_route_has_no_bits_behind_its_prefix),
		cmocka_unit_test(of_many_routes_those_that_fit_are_taken),
		cmocka_unit_test(what_is_left_out_is_said),
		cmocka_unit_test(of_lists_what_is_left_out_is_said),
		cmocka_unit_test(a_query_names_the_client_and_its_wishes),
		cmocka_unit_test(the_longest_query_fits),
	};

	return cmocka_run_group_tests_name("DHCP messages", tests, NULL, NULL);
}
