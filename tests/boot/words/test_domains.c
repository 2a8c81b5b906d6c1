/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of domain names, as DHCP has them. */
#include "boot/words/domains.h"

#include "tests/guard.h"
#include "tests/unit.h"

static struct guard guard;
static char to[BOOT_DOMAINS];
static bool all;

static const char *names(const void *p, size_t n, bool packed)
{
	memset(to, 'x', sizeof(to));
	all = boot_domains_read(to, guard_copy(&guard, p, n), n, packed);
	return to;
}

#define PLAIN(text)  names(text, sizeof(text) - 1, false)
#define PACKED(text) names(text, sizeof(text) - 1, true)

static void whole_names_are_read(void **state)
{
	static const char two[] = "\3sub\7example\3org\0\1a\1b";

	(void)state;
	for (size_t n = 0; n < 17; n++) {
		assert_string_equal(names(two, n, n & 1), "");
		assert_true(all == !n);
	}
	for (size_t n = 17; n < sizeof(two); n++) {
		assert_string_equal(names(two, n, n & 1), "sub.example.org");
		assert_true(all == (n == 17));
	}
	assert_string_equal(names(two, sizeof(two), false),
			    "sub.example.org a.b");
	assert_true(all);
	/* the root is no name to look in */
	assert_string_equal(PLAIN("\0\3org\0\0"), "org");
	assert_true(all);
}

static void other_characters_are_left_out(void **state)
{
	(void)state;
	assert_string_equal(PLAIN("\3a b\0\1c\0"), "c");
	assert_false(all);
	assert_string_equal(PLAIN("\3a\nb\0\1c\0"), "c");
	assert_string_equal(PLAIN("\1c\0\3a.b\0"), "c");
	assert_string_equal(PLAIN("\3a\0b\0\1c\0"), "c");
	assert_string_equal(PLAIN("\3a_b\1-\0"), "a_b.-");
	/* the reserved kinds of labels end all */
	assert_string_equal(PLAIN("\1a\0\x40\0\1c\0"), "a");
	assert_string_equal(PACKED("\1a\0\x80\0\1c\0"), "a");
}

static void pointers_lead_back(void **state)
{
	(void)state;
	/* the example of RFC 3397, in short */
	assert_string_equal(PACKED("\3eng\5apple\3com\0\3mkt\xc0\4"),
			    "eng.apple.com mkt.apple.com");
	assert_string_equal(PACKED("\1a\0\xc0\0\1b\xc0\0\1c\xc0\5\1d\0"),
			    "a a b.a c.b.a d");
	assert_string_equal(PLAIN("\1a\0\1b\xc0\0"), "a");
	/* into the middle of a label: what stands there is a label, or not */
	assert_string_equal(PACKED("\3a\1b\0\1c\xc0\2"), "c.b");
}

static void pointers_have_an_end(void **state)
{
	(void)state;
	/* to themselves, forward, behind the end, into the name itself */
	assert_string_equal(PACKED("\1a\0\xc0\3"), "a");
	assert_string_equal(PACKED("\1a\0\1b\xc0\3"), "a");
	assert_string_equal(PACKED("\1a\0\xc0\5\1b\0"), "a");
	assert_string_equal(PACKED("\1a\0\xff\xff"), "a");
	assert_string_equal(PACKED("\1a\0\1b\xc0"), "a");
	assert_string_equal(PACKED("\xc0\0\xc0\0"), "");
}

static void what_does_not_fit_is_left_out(void **state)
{
	uint8_t p[600];
	size_t n = 0;

	(void)state;
	/* a label of 63 bytes is the longest; three and two bytes more fit */
	for (size_t i = 0; i < sizeof(p); i++)
		p[i] = i % 64 ? 'd' : 63;
	p[192] = 0;
	assert_int_equal(strlen(names(p, 193, true)), 191);
	p[192] = 63;
	p[256] = 0;
	assert_int_equal(strlen(names(p, 257, true)), 255);
	assert_true(all);
	p[256] = 1;
	p[258] = 0;
	assert_string_equal(names(p, 259, true), "");
	assert_false(all);
	/* 85 names of 2 bytes, and a blank between two */
	for (n = 0; n < 400; n += 4)
		memcpy(p + n, "\2ab", 4);
	assert_int_equal(strlen(names(p, n, true)), 85 * 3 - 1);
	assert_false(all);
	/* the last of them is the end */
	n = 86 * 4;
	assert_int_equal(strlen(names(p, n, true)), 85 * 3 - 1);
	assert_false(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_names_are_read),
		cmocka_unit_test(other_characters_are_left_out),
		cmocka_unit_test(pointers_lead_back),
		cmocka_unit_test(pointers_have_an_end),
		cmocka_unit_test(what_does_not_fit_is_left_out),
	};

	guard = guard_new(600);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
