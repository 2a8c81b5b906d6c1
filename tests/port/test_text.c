/* SPDX-License-Identifier: BSD-2-Clause */
/* port/text.c, port/utf8.c, port/diag.c: what a person gets to read. */
#include "tests/unit.h"
#include "tests/guard.h"
#include "port/ip.h"
#include "port/port.h"
#include "port/utf8.h"

#include <arpa/inet.h>
#include <limits.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * The two printers and the C library's must agree.  The library's text is
 * also what the compiler checked the format against.
 */
#define SAME(...)                                                            \
	do {                                                                 \
		char want[200], raw[200], safe[200];                         \
		struct nbd_out o = { .buf = safe, .cap = sizeof(safe) };     \
		int n = snprintf(want, sizeof(want), __VA_ARGS__);           \
		assert_int_equal(nbd_fmt(raw, sizeof(raw), __VA_ARGS__), n); \
		assert_string_equal(raw, want);                              \
		nbd_putf(&o, __VA_ARGS__);                                   \
		assert_false(o.cut);                                         \
		assert_int_equal(o.len, n);                                  \
		assert_memory_equal(safe, want, (size_t)n);                  \
	} while (0)

static void formats_agree_with_the_c_library(void **state)
{
	(void)state;
	SAME("plain");
	SAME("%s", "");
	SAME("[%s|%c|%%|%s]", "one", 'x', "two");
	SAME("[%8s][%-8s][%2s][%-2s]", "abc", "abc", "abc", "abc");
	SAME("[%.*s][%.*s][%.*s]", 2, "abc", 0, "abc", 9, "abc");
	SAME("[%.*s]", -1, "abc");
	SAME("[%.2s][%.0s][%.10s][%-4.1s]", "abc", "abc", "abc", "abc");
	SAME("[%6.*s][%-6.*s]", 2, "abc", 2, "abc");
	SAME("%s%s%s", "a", "b", "c");
	SAME("%d%%", 50);
}

static void numbers_agree_with_the_c_library(void **state)
{
	(void)state;
	SAME("%d %d %d %d", 0, 1, -1, 10);
	SAME("%d %d", INT_MAX, INT_MIN);
	SAME("%ld %ld", LONG_MAX, LONG_MIN);
	SAME("%lld %lld", LLONG_MAX, LLONG_MIN);
	SAME("%zd %zu", (ssize_t)-5, SIZE_MAX);
	SAME("%u %lu %llu", UINT_MAX, ULONG_MAX, ULLONG_MAX);
	SAME("%x %lx %llx %zx", UINT_MAX, ULONG_MAX, ULLONG_MAX, SIZE_MAX);
	SAME("%x %x %x", 0u, 0xabcdefu, 0x10u);
	SAME("%" PRId64 " %" PRIu64, INT64_MIN, UINT64_MAX);
	SAME("[%5d][%-5d][%05d][%1d]", 42, 42, 42, 42);
	SAME("[%5d][%-5d][%05d][%1d]", -42, -42, -42, -42);
	SAME("[%05d][%03d][%02d]", -1, -1, -1);
	SAME("[%20lld][%-20lld][%020lld]", LLONG_MIN, LLONG_MIN, LLONG_MIN);
	SAME("[%30llu][%030llx]", ULLONG_MAX, ULLONG_MAX);
	SAME("[%4x][%-4x][%04x]", 0xau, 0xau, 0xau);
}

static void a_null_string_does_not_crash(void **state)
{
	char buf[20];
	const char *volatile null = NULL;

	(void)state;
	assert_int_equal(nbd_fmt(buf, sizeof(buf), "[%s]", null), 8);
	assert_string_equal(buf, "[(null)]");
}

static void a_format_that_ends_in_a_percent_sign_is_not_overrun(void **state)
{
	static const char *const bad[] = { "%", "a%", "%-", "%05", "%l", "%z" };
	struct guard g = guard_new(64);
	char buf[8];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *volatile f =
			guard_copy(&g, bad[i], strlen(bad[i]) + 1);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
		assert_true(nbd_fmt(buf, sizeof(buf), f) <= 2);
#pragma GCC diagnostic pop
	}
	guard_free(&g);
}

/* Each length at which a text can be cut, its end flush against a page. */
static void a_cut_is_exact_at_every_length(void **state)
{
	static const char want[] = "ab 007 -5   |cdef  tail";
	const size_t len = sizeof(want) - 1;
	struct guard g = guard_new(64);

	(void)state;
	for (size_t cap = 1; cap <= len + 2; cap++) {
		char *buf = guard_end(&g, cap);
		size_t kept = cap - 1 < len ? cap - 1 : len;
		int rc = nbd_fmt(buf, cap, "%s %03d %-5d|%-6s%s", "ab", 7, -5,
				 "cdef", "tail");

		if (cap <= len)
			assert_int_equal(rc, NBD_E_NO_MEMORY);
		else
			assert_int_equal(rc, len);
		assert_memory_equal(buf, want, kept);
		assert_int_equal(buf[kept], '\0');
	}
	guard_free(&g);
}

struct pair {
	const char *in;
	size_t len;
	const char *safe, *json; /* json without its quotes */
};
#define IN(s) s, sizeof(s) - 1

static const struct pair pairs[] = {
	{ IN(""), "", "" },
	{ IN("plain text ~"), "plain text ~", "plain text ~" },
	{ IN("\\x41"), "\\\\x41", "\\\\x41" },
	{ IN("say \"hi\""), "say \"hi\"", "say \\\"hi\\\"" },
	{ IN("a\nb\r\tc"), "a\\x0ab\\x0d\\x09c", "a\\u000ab\\u000d\\u0009c" },
	{ IN("\0"), "\\x00", "\\u0000" },
	{ IN("\x1f\x7f"), "\\x1f\\x7f", "\\u001f\\u007f" },
	/* a terminal's title, colours, the bell */
	{ IN("\x1b]0;x\x07"), "\\x1b]0;x\\x07", "\\u001b]0;x\\u0007" },
	{ IN("\x1b[31m"), "\\x1b[31m", "\\u001b[31m" },
	/* C1: U+0080, CSI as U+009B, U+009F; U+00A0 can be seen */
	{ IN("\xc2\x80\xc2\x9b\x33\x31m"), "\\xc2\\x80\\xc2\\x9b31m",
	  "\\u0080\\u009b31m" },
	{ IN("\xc2\x9f\xc2\xa0"), "\\xc2\\x9f\xc2\xa0", "\\u009f\xc2\xa0" },
	/* bare 8-bit CSI */
	{ IN("\x9b\x31m"), "\\x9b1m", "\\ufffd1m" },
	/* characters of 2, 3, 4 bytes, the last code point */
	{ IN("\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xbe"),
	  "\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xbe",
	  "\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xbe" },
	{ IN("\xf4\x8f\xbf\xbf"), "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf" },
	{ IN("\xdf\xbf\xe0\xa0\x80\xef\xbf\xbd\xf0\x90\x80\x80"),
	  "\xdf\xbf\xe0\xa0\x80\xef\xbf\xbd\xf0\x90\x80\x80",
	  "\xdf\xbf\xe0\xa0\x80\xef\xbf\xbd\xf0\x90\x80\x80" },
	/* direction: U+202E, U+2066, U+2069, U+200F, U+061C */
	{ IN("a\xe2\x80\xae"
	     "b"),
	  "a\\xe2\\x80\\xaeb", "a\\u202eb" },
	{ IN("\xe2\x81\xa6\xe2\x81\xa9"), "\\xe2\\x81\\xa6\\xe2\\x81\\xa9",
	  "\\u2066\\u2069" },
	{ IN("\xe2\x80\x8f\xd8\x9c"), "\\xe2\\x80\\x8f\\xd8\\x9c",
	  "\\u200f\\u061c" },
	/* line and paragraph separators, zero width, byte order mark */
	{ IN("\xe2\x80\xa8\xe2\x80\xa9"), "\\xe2\\x80\\xa8\\xe2\\x80\\xa9",
	  "\\u2028\\u2029" },
	{ IN("\xe2\x80\x8b\xef\xbb\xbf"), "\\xe2\\x80\\x8b\\xef\\xbb\\xbf",
	  "\\u200b\\ufeff" },
	/* their neighbours: U+200A, U+2010, U+2027, U+202F, U+205F, U+2070 */
	{ IN("\xe2\x80\x8a\xe2\x80\x90\xe2\x80\xa7\xe2\x80\xaf"),
	  "\xe2\x80\x8a\xe2\x80\x90\xe2\x80\xa7\xe2\x80\xaf",
	  "\xe2\x80\x8a\xe2\x80\x90\xe2\x80\xa7\xe2\x80\xaf" },
	{ IN("\xe2\x81\x9f\xe2\x81\xb0"), "\xe2\x81\x9f\xe2\x81\xb0",
	  "\xe2\x81\x9f\xe2\x81\xb0" },
	/* not UTF-8: overlong, surrogate, beyond, stray, cut */
	{ IN("\xc0\x80"), "\\xc0\\x80", "\\ufffd\\ufffd" },
	{ IN("\xc1\xbf"), "\\xc1\\xbf", "\\ufffd\\ufffd" },
	{ IN("\xe0\x9f\xbf"), "\\xe0\\x9f\\xbf", "\\ufffd\\ufffd\\ufffd" },
	{ IN("\xf0\x8f\xbf\xbf"), "\\xf0\\x8f\\xbf\\xbf",
	  "\\ufffd\\ufffd\\ufffd\\ufffd" },
	{ IN("\xed\xa0\x80"), "\\xed\\xa0\\x80", "\\ufffd\\ufffd\\ufffd" },
	{ IN("\xed\xbf\xbf"), "\\xed\\xbf\\xbf", "\\ufffd\\ufffd\\ufffd" },
	{ IN("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80",
	  "\\ufffd\\ufffd\\ufffd\\ufffd" },
	{ IN("\xf5\xff\xfe"), "\\xf5\\xff\\xfe", "\\ufffd\\ufffd\\ufffd" },
	{ IN("\x80\xbf"), "\\x80\\xbf", "\\ufffd\\ufffd" },
	{ IN("\xe2\x82"), "\\xe2\\x82", "\\ufffd\\ufffd" },
	{ IN("\xc3"), "\\xc3", "\\ufffd" },
	{ IN("\xe2\x82z"), "\\xe2\\x82z", "\\ufffd\\ufffdz" },
	{ IN("\xc3\xc3\xa9"), "\\xc3\xc3\xa9", "\\ufffd\xc3\xa9" },
};

static void strangers_text_is_escaped_for_terminal_and_json(void **state)
{
	struct guard g = guard_new(64);
	char buf[200], want[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		const struct pair *t = &pairs[i];
		const char *in = guard_copy(&g, t->in, t->len);
		struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };

		nbd_put_safe(&o, in, t->len);
		assert_int_equal(o.len, strlen(t->safe));
		assert_memory_equal(buf, t->safe, o.len);
		o.len = 0;
		nbd_put_json(&o, in, t->len);
		snprintf(want, sizeof(want), "\"%s\"", t->json);
		assert_int_equal(o.len, strlen(want));
		assert_memory_equal(buf, want, o.len);
		assert_false(o.cut);
	}
	guard_free(&g);
}

static void a_cut_never_divides_an_escape_or_a_character(void **state)
{
	struct guard g = guard_new(256);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		const struct pair *t = &pairs[i];

		for (size_t cap = 0; cap < strlen(t->safe); cap++) {
			struct nbd_out o = {
				guard_end(&g, cap), cap, 0, 0, NULL, -1
			};
			size_t n = 0;

			nbd_put_safe(&o, t->in, t->len);
			assert_true(o.cut && o.len <= cap);
			assert_memory_equal(o.buf, t->safe, o.len);
			/* whole pieces: what was kept is a whole text */
			while (n < o.len) {
				size_t c = nbd_utf8_printable(o.buf + n,
							      o.len - n);

				assert_true(c > 0);
				if (o.buf[n] == '\\')
					c = o.buf[n + 1] == 'x' ? 4 : 2;
				n += c;
			}
			assert_int_equal(n, o.len);
		}
	}
	guard_free(&g);
}

static void nothing_follows_a_cut(void **state)
{
	char buf[4];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };

	(void)state;
	nbd_put_safe(&o, "abc\n", 4);
	assert_true(o.cut);
	assert_int_equal(o.len, 3);
	nbd_put(&o, "d", 1);
	nbd_putf(&o, "%d%c%s", 1, 'x', "y");
	assert_int_equal(o.len, 3);
}

static void only_raw_printing_lets_control_characters_through(void **state)
{
	char buf[40];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };

	(void)state;
	nbd_putf(&o, "%s %c%c %.*s\n", "\x1b", '\x07', '\x9b', 1, "\n\n");
	assert_int_equal(o.len, 19);
	assert_memory_equal(buf, "\\x1b \\x07\\x9b \\x0a\n", 19);
	assert_int_equal(nbd_fmt(buf, sizeof(buf), "%s%c", "\x1b[", 7), 3);
	assert_memory_equal(buf, "\x1b[\x07", 4);
}

static void addresses_are_printed_as_rfc_5952_says(void **state)
{
	static const struct {
		const char *ip;
		size_t len;
		const char *text;
	} t[] = {
		{ "\0\0\0\0", 4, "0.0.0.0" },
		{ "\xc0\0\2\1", 4, "192.0.2.1" },
		{ "\xff\xff\xff\xff", 4, "255.255.255.255" },
		{ "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, "::" },
		{ "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16, "::1" },
		{ "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, "fe80::" },
		/* one zero group stays; of two equal runs the first goes */
		{ "\x20\1\xd\xb8\0\0\0\1\0\1\0\1\0\1\0\1", 16,
		  "2001:db8:0:1:1:1:1:1" },
		{ "\x20\1\xd\xb8\0\0\0\0\0\1\0\0\0\0\0\1", 16,
		  "2001:db8::1:0:0:1" },
		{ "\x20\1\0\0\0\0\0\1\0\0\0\0\0\0\0\1", 16, "2001:0:0:1::1" },
		{ "\0\0\0\0\0\0\0\0\0\0\xff\xff\xc0\0\2\1", 16,
		  "::ffff:192.0.2.1" },
		{ "\xfd\0\0\0\0\x10\1\0\0\0\0\0\0\0\0\1", 16,
		  "fd00:0:10:100::1" },
		{ "\xff\xff\xff\xff\xff\xff\xff\xff"
		  "\xff\xff\xff\xff\xff\xff\xff\xff",
		  16, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
	};
	struct guard g = guard_new(16);
	char buf[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };

		nbd_put_ip(&o, guard_copy(&g, t[i].ip, t[i].len), t[i].len);
		assert_int_equal(o.len, strlen(t[i].text));
		assert_memory_equal(buf, t[i].text, o.len);
	}
	guard_free(&g);
}

static void an_ipv4_address_is_four_numbers(void **state)
{
	static const char *const wrong[] = {
		"",	      ".",	     "192.0.2",	    "192.0.2.",
		"192.0.2.1.", "192.0.2.1.5", "192.0.2.256", "192..2.1",
		"192.0.2.1 ", " 192.0.2.1",  "192.0.2.-1",  "192.0.2.0001",
		"0x7f.0.0.1", "fd00::1",     "example.org", "192.0.2.1%eth0",
		"192.0.2.01",
	};
	struct nbd_ip a;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(nbd_ip_parse(&a, wrong[i]) && a.len == 4);
	assert_true(nbd_ip_parse(&a, "192.0.2.1"));
	assert_memory_equal(a.ip, "\xc0\0\2\1", 4);
	assert_true(nbd_ip_parse(&a, "255.255.255.255"));
	assert_memory_equal(a.ip, "\xff\xff\xff\xff", 4);
	assert_true(nbd_ip_parse(&a, "0.0.0.0"));
	assert_memory_equal(a.ip, "\0\0\0\0", 4);
}

/* The same as inet_pton(3) says of each. */
static void an_ipv6_address_is_as_the_c_library_reads_it(void **state)
{
	static const char *const texts[] = {
		"::",
		"::1",
		"1::",
		"2001:db8::1",
		"fe80::5054:ff:fe12:3456",
		"1:2:3:4:5:6:7:8",
		"1:2:3:4:5:6:7::",
		"::2:3:4:5:6:7:8",
		"FD00::aBcD",
		"1:2:3::6:7:8",
		"::ffff:192.0.2.1",
		"64:ff9b::192.0.2.1",
		"1:2:3:4:5:6:192.0.2.1",
		"::192.0.2.1",
		"",
		":",
		":::",
		":1",
		"1:",
		"1:2:3:4:5:6:7:",
		"1:::2",
		"1::2::3",
		"::1::",
		"1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7:8:9",
		"1:2:3:4:5:6:7:8::",
		"12345::",
		"g::",
		"::1 ",
		" ::1",
		"::1%eth0",
		"::1/64",
		"[::1]",
		"192.0.2.1",
		"1:2:3:4:5:6:7:192.0.2.1",
		"::192.0.2.256",
		"::192.0.2.1:1",
		"::.1",
		"2001:db8",
		"example.org",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		unsigned char want[16];
		bool good = inet_pton(AF_INET6, texts[i], want) == 1;
		struct nbd_ip a;

		if ((nbd_ip_parse(&a, texts[i]) && a.len == 16) != good)
			fail_msg("%s", texts[i]);
		if (good)
			assert_memory_equal(a.ip, want, 16);
	}
}

static void a_mac_has_two_digits_a_byte(void **state)
{
	static const unsigned char mac[6] = { 0x52, 0x54, 0, 0xff, 0x0a, 1 };
	char buf[17];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };

	(void)state;
	nbd_put_mac(&o, mac);
	assert_false(o.cut);
	assert_int_equal(o.len, 17);
	assert_memory_equal(buf, "52:54:00:ff:0a:01", 17);
}

static void a_shell_sees_nothing_in_what_is_quoted(void **state)
{
	static const char *const t[][2] = {
		{ "", "" },
		{ NULL, "" },
		{ "a $(b) `c` \\ \"d\"\n", "a $(b) `c` \\ \"d\"\n" },
		{ "it's", "it'\\''s" },
		{ "''", "'\\'''\\''" },
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };

		nbd_put_quoted(&o, t[i][0]);
		assert_int_equal(o.len, strlen(t[i][1]));
		assert_memory_equal(buf, t[i][1], o.len);
	}
}

/* Every bound, and every text around it, of all lengths. */
static void numbers_are_read_within_their_bounds(void **state)
{
	static const long max[] = { 0,	1,   4,	   8,	  9,	   10,
				    19, 255, 4094, 65535, INT_MAX, LONG_MAX };
	char text[40];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(max); i++) {
		for (long n = max[i] > 3000 ? max[i] - 3000 : 0; n < max[i];
		     n++) {
			snprintf(text, sizeof(text), "%ld", n);
			assert_int_equal(nbd_number(text, 0, max[i]), n);
			assert_int_equal(nbd_number(text, n, max[i]), n);
			assert_int_equal(nbd_number(text, n + 1, max[i]), -1);
		}
		for (unsigned long n = (unsigned long)max[i] + 1;
		     n < (unsigned long)max[i] + 3000; n++) {
			snprintf(text, sizeof(text), "%lu", n);
			assert_int_equal(nbd_number(text, 0, max[i]), -1);
		}
		/* however far above */
		for (size_t len = 1; len < sizeof(text); len++) {
			memset(text, '9', len);
			text[len] = '\0';
			assert_int_equal(nbd_number(text, 0, max[i]),
					 strtoul(text, NULL, 10) >
							 (unsigned long)max[i]
						 ? -1
						 : strtol(text, NULL, 10));
		}
	}
}

static void text_that_is_no_number_is_refused(void **state)
{
	static const char *const bad[] = { "",	 " ",	"-1",	"+1", "0x1",
					   "1 ", "1\n", " 1",	"a",  "1a",
					   "/",	 ":",	"\xb2", "1.5" };
	struct guard g = guard_new(16);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(nbd_number(bad[i], 0, LONG_MAX), -1);
	assert_int_equal(nbd_number("007", 0, 7), 7);
	assert_int_equal(nbd_numbern("12345", 3, 0, 999), 123);
	assert_int_equal(nbd_numbern("12", 0, 0, 999), -1);
	/* not a byte behind them is looked at */
	assert_int_equal(nbd_numbern(guard_copy(&g, "12", 2), 2, 0, 99), 12);
	guard_free(&g);
}

static char flushed[1000];
static size_t flushed_len;
static unsigned flushes;

static void collect(struct nbd_out *o)
{
	memcpy(flushed + flushed_len, o->buf, o->len);
	flushed_len += o->len;
	flushes++;
	o->len = 0;
}

/* Takes one byte less each time, as a short write does. */
static void collect_half(struct nbd_out *o)
{
	size_t n = (o->len + 1) / 2;

	memcpy(flushed + flushed_len, o->buf, n);
	flushed_len += n;
	flushes++;
	memmove(o->buf, o->buf + n, o->len - n);
	o->len -= n;
}

static void full(struct nbd_out *o)
{
	(void)o;
	flushes++;
}

static void a_flushed_text_is_whole_at_every_buffer_size(void **state)
{
	static const char want[] =
		"\xc3\xa9\\x0a\"\\u0001\"     -1234567890123end";
	struct guard g = guard_new(64);

	(void)state;
	for (size_t cap = 1; cap < 50; cap++) {
		for (int half = 0; half < 2; half++) {
			struct nbd_out o = { .buf = guard_end(&g, cap),
					     .cap = cap,
					     .flush = half ? collect_half
							   : collect };

			flushed_len = flushes = 0;
			nbd_put_safe(&o, "\xc3\xa9\n", 3);
			nbd_put_json(&o, "\x01", 1);
			nbd_putf(&o, "%19lld%s", -1234567890123LL, "end");
			while (o.len)
				o.flush(&o);
			assert_false(o.cut);
			assert_int_equal(flushed_len, sizeof(want) - 1);
			assert_memory_equal(flushed, want, flushed_len);
		}
	}
	guard_free(&g);
}

static void a_flush_that_frees_nothing_ends_the_text(void **state)
{
	char buf[4];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf), .flush = full };

	(void)state;
	flushes = 0;
	nbd_put(&o, "abcdefgh", 8);
	nbd_put(&o, "i", 1);
	assert_true(o.cut);
	assert_int_equal(flushes, 1);
	assert_int_equal(o.len, 4);
	assert_memory_equal(buf, "abcd", 4);
}

static void
an_explanation_is_escaped_bounded_and_returns_its_error(void **state)
{
	struct guard g = guard_new(sizeof(struct nbd_diag));
	struct nbd_diag *d = guard_end(&g, sizeof(*d));
	char text[2000];

	(void)state;
	assert_int_equal(nbd_diag(d, NBD_E_IO, "open %s: %d", "a\nb", 5),
			 NBD_E_IO);
	assert_string_equal(d->text, "open a\\x0ab: 5");
	assert_int_equal(nbd_diag(NULL, NBD_E_CUT, "%s", "x"), NBD_E_CUT);
	for (size_t len = 0; len < sizeof(text); len++) {
		size_t kept = len < 511 ? len : 511;

		memset(text, 'x', len);
		text[len] = '\0';
		nbd_diag(d, NBD_E_IO, "%s", text);
		assert_int_equal(strlen(d->text), kept);
	}
	/* 170 characters of 3 bytes fit, 171 would not with the NUL */
	for (size_t i = 0; i + 3 < sizeof(text); i += 3)
		memcpy(text + i, "\xe2\x82\xac", 4);
	nbd_diag(d, NBD_E_IO, "%s", text);
	assert_int_equal(strlen(d->text), 510);
	nbd_diag(d, NBD_E_IO, "x%s", text);
	assert_int_equal(strlen(d->text), 511);
	nbd_diag(d, NBD_E_IO, "xx%s", text);
	assert_int_equal(strlen(d->text), 509);
	guard_free(&g);
}

static void a_prefix_leaves_an_explanation_escaped_once(void **state)
{
	struct guard g = guard_new(sizeof(struct nbd_diag));
	struct nbd_diag *d = guard_end(&g, sizeof(*d));
	char text[512];

	(void)state;
	nbd_diag(d, NBD_E_IO, "open %s", "a\nb");
	assert_int_equal(nbd_diag_prefix(d, NBD_E_URI, "root=%s", "\n"),
			 NBD_E_URI);
	assert_string_equal(d->text, "root=\\x0a: open a\\x0ab");
	assert_int_equal(nbd_diag_prefix(NULL, NBD_E_CUT, "x"), NBD_E_CUT);
	memset(text, 'x', 511);
	text[511] = '\0';
	nbd_diag(d, NBD_E_IO, "%s", text);
	nbd_diag_prefix(d, NBD_E_IO, "y");
	assert_int_equal(strlen(d->text), 511);
	assert_memory_equal(d->text, "y: xxx", 6);
	guard_free(&g);
}

/* Every code point, against what RFC 3629 says of it. */
static void every_code_point_is_judged_rightly(void **state)
{
	(void)state;
	for (uint32_t v = 0; v < 0x120000; v++) {
		char b[4];
		size_t n = v < 0x80 ? 1 : v < 0x800 ? 2 : v < 0x10000 ? 3 : 4;
		bool valid = v <= 0x10ffff && (v < 0xd800 || v > 0xdfff);

		for (size_t i = n; i-- > 1;)
			b[i] = (char)(0x80 | (v >> 6 * (n - 1 - i) & 0x3f));
		b[0] = (char)(n == 1 ? v
				     : (0xf00u >> n & 0xff) | v >> 6 * (n - 1));
		assert_int_equal(nbd_utf8_valid(b, n), valid ? n : 0);
		for (size_t cut = 1; cut < n; cut++)
			assert_int_equal(nbd_utf8_valid(b, cut), 0);
		if (valid)
			assert_int_equal(nbd_utf8_point(b, n), v);
		if (v < 32 || (v >= 127 && v < 160))
			assert_int_equal(nbd_utf8_printable(b, n), 0);
	}
}

static void a_number_is_taken_up_to_its_end(void **state)
{
	static const struct {
		const char *text;
		uint64_t max, n;
		size_t len; /* that is taken; 0: no number */
	} t[] = {
		{ "0", 0, 0, 1 },
		{ "7x", 7, 7, 1 },
		{ "0012 3", 12, 12, 4 },
		{ "18446744073709551615", UINT64_MAX, UINT64_MAX, 20 },
		{ "18446744073709551616", UINT64_MAX, 0, 0 },
		{ "99999999999999999999999", UINT64_MAX, 0, 0 },
		{ "8", 7, 0, 0 },
		{ "13", 12, 0, 0 },
		{ "", 9, 0, 0 },
		{ "-1", 9, 0, 0 },
		{ " 1", 9, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		const char *p = t[i].text, *end = p + strlen(p);
		uint64_t n;

		assert_int_equal(nbd_take_number(&p, end, t[i].max, &n),
				 t[i].len > 0);
		if (!t[i].len)
			continue;
		assert_true(n == t[i].n);
		assert_int_equal(p - t[i].text, t[i].len);
	}
}

#define TEST(f) cmocka_unit_test(f)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(formats_agree_with_the_c_library),
		TEST(numbers_agree_with_the_c_library),
		TEST(a_null_string_does_not_crash),
		TEST(a_format_that_ends_in_a_percent_sign_is_not_overrun),
		TEST(a_cut_is_exact_at_every_length),
		TEST(strangers_text_is_escaped_for_terminal_and_json),
		TEST(a_cut_never_divides_an_escape_or_a_character),
		TEST(nothing_follows_a_cut),
		TEST(only_raw_printing_lets_control_characters_through),
		TEST(addresses_are_printed_as_rfc_5952_says),
		TEST(an_ipv4_address_is_four_numbers),
		TEST(an_ipv6_address_is_as_the_c_library_reads_it),
		TEST(a_mac_has_two_digits_a_byte),
		TEST(a_shell_sees_nothing_in_what_is_quoted),
		TEST(numbers_are_read_within_their_bounds),
		TEST(text_that_is_no_number_is_refused),
		TEST(a_number_is_taken_up_to_its_end),
		TEST(a_flushed_text_is_whole_at_every_buffer_size),
		TEST(a_flush_that_frees_nothing_ends_the_text),
		TEST(an_explanation_is_escaped_bounded_and_returns_its_error),
		TEST(a_prefix_leaves_an_explanation_escaped_once),
		TEST(every_code_point_is_judged_rightly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
