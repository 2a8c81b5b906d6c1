/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot.conf beside the program, however that was named. */
#include "boot/uefi/where.h"

#include "tests/guard.h"
#include "tests/unit.h"

static char to[256];

static void a_file_is_in_the_directory_of_the_program(void **state)
{
	static const char *const cases[][2] = {
		{ "nbdboot.efi", "nbdboot.conf" },
		{ "/nbdboot.efi", "/nbdboot.conf" },
		{ "a/b/nbdboot.efi", "a/b/nbdboot.conf" },
		{ "boot\\x64\\nbdboot.efi", "boot\\x64\\nbdboot.conf" },
		{ "a\\b/c", "a\\b/nbdboot.conf" },
		{ "", "nbdboot.conf" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(uefi_beside_file(to, sizeof(to), cases[i][0]));
		assert_string_equal(to, cases[i][1]);
	}
	assert_false(uefi_beside_file(to, 12, "x"));
	assert_true(uefi_beside_file(to, 13, "x"));
}

static void a_url_has_a_query_a_fragment_or_no_path(void **state)
{
	static const char *const cases[][2] = {
		{ "http://h/nbdboot.efi", "http://h/nbdboot.conf" },
		{ "http://h/a/b/x.efi", "http://h/a/b/nbdboot.conf" },
		{ "http://h/a/x.efi?mac=/1/2", "http://h/a/nbdboot.conf" },
		{ "http://h/a/x.efi#/1/2", "http://h/a/nbdboot.conf" },
		{ "http://h/a/?x", "http://h/a/nbdboot.conf" },
		{ "http://h/a/", "http://h/a/nbdboot.conf" },
		{ "http://h:8080", "http://h:8080/nbdboot.conf" },
		{ "http://h?x/y", "http://h/nbdboot.conf" },
		{ "http://h/", "http://h/nbdboot.conf" },
		{ "http://[2001:db8::1]:80/a/x",
		  "http://[2001:db8::1]:80/a/nbdboot.conf" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(uefi_beside_url(to, sizeof(to), cases[i][0]));
		assert_string_equal(to, cases[i][1]);
	}
	assert_false(uefi_beside_url(to, sizeof(to), "h/x"));
	assert_false(uefi_beside_url(to, 16, "http://h/x"));
}

static void a_device_path_has_a_node_for_each_directory_or_one(void **state)
{
	static const uint8_t one[] = { 4, 1,   8,  0, 1,    2, 3,   4, /* disk */
				       4, 4,   14, 0, '\\', 0, 'a', 0, '\\',
				       0, 'x', 0,  0, 0 },
			     two[] = { 4, 4, 10, 0, '\\', 0,   'a', 0, 0,
				       0, 4, 4,	 8, 0,	  'x', 0,   0, 0 },
			     /* U+65E5, and U+6100, in whose bytes is an "a" */
		three[] = { 4, 4,    8, 0, 0xe5, 0x65, 0, 0, 4,	  4, 8, 0,
			    0, 0x61, 0, 0, 4,	 4,    8, 0, 'x', 0, 0, 0 },
			     none[] = { 4, 1, 8, 0, 1, 2, 3, 4 };

	(void)state;
	assert_true(uefi_beside_path(to, sizeof(to), one, sizeof(one)));
	assert_string_equal(to, "\\a\\nbdboot.conf");
	assert_true(uefi_beside_path(to, sizeof(to), two, sizeof(two)));
	assert_string_equal(to, "\\a\\nbdboot.conf");
	assert_true(uefi_beside_path(to, sizeof(to), three, sizeof(three)));
	assert_string_equal(to, "\xe6\x97\xa5\\\xe6\x84\x80\\nbdboot.conf");
	assert_true(uefi_beside_path(to, sizeof(to), none, sizeof(none)));
	assert_string_equal(to, "nbdboot.conf");
	assert_true(uefi_beside_path(to, sizeof(to), NULL, 0));
	assert_string_equal(to, "nbdboot.conf");
}

/* Cut anywhere, no byte behind the end is read. */
static void a_device_path_that_is_cut_or_long_does_no_harm(void **state)
{
	uint8_t path[1024];
	size_t len = 0;

	(void)state;
	while (len + 64 <= sizeof(path)) {
		static const uint8_t head[] = { 4, 4, 64, 0 };

		memset(path + len, 'x', 64);
		memcpy(path + len, head, sizeof(head));
		len += 64;
	}
	for (size_t n = 0; n <= len; n += 3) {
		struct guard g = guard_new(n ? n : 1);
		uint8_t *p = guard_end(&g, n);

		memcpy(p, path, n);
		uefi_beside_path(to, sizeof(to), p, n);
		guard_free(&g);
	}
	assert_false(uefi_beside_path(to, sizeof(to), path, len));
}

/* An answer with a file, a server and options. */
static uint8_t answer[400];

static void make(const char *file, uint8_t next, const void *options,
		 size_t len)
{
	memset(answer, 0, sizeof(answer));
	memcpy(answer + 108, file, strlen(file));
	memcpy(answer + 20, (uint8_t[]){ next ? 10 : 0, 0, 0, next }, 4);
	memcpy(answer + 240, options, len);
}
#define MAKE(file, next, options) make(file, next, options, sizeof(options) - 1)

static uint8_t server[4], server16[16];

static bool bootp(void)
{
	return uefi_beside_bootp(to, sizeof(to), server, answer,
				 sizeof(answer));
}

static void an_answer_of_pxe_has_a_field_or_an_option(void **state)
{
	(void)state;
	MAKE("d/nbdboot.efi", 1, "\x36\x04\x0a\0\0\2\xff");
	assert_true(bootp());
	assert_string_equal(to, "d/nbdboot.conf");
	assert_int_equal(server[3], 1);
	/* siaddr is zero: the server that answered; padding, and option 67 */
	MAKE("", 0,
	     "\0\0\x36\x04\x0a\0\0\2\0\x43\x05"
	     "e/x.y\xff");
	assert_true(bootp());
	assert_string_equal(to, "e/nbdboot.conf");
	assert_int_equal(server[3], 2);
	/* the field holds options */
	MAKE("\x0c\x01x\xff", 1,
	     "\x34\x01\x01\x43\x03"
	     "f/x\xff");
	assert_true(bootp());
	assert_string_equal(to, "f/nbdboot.conf");
	MAKE("", 1, "\xff");
	assert_false(bootp());
	/* behind the end, which may follow padding, is what was there before */
	MAKE("", 1,
	     "\0\xff\0\x43\x03"
	     "f/x\xff");
	assert_false(bootp());
	/* an option that is longer than the packet */
	MAKE("", 1, "\x0c\xff\xff");
	assert_false(bootp());
}

static void no_byte_is_read_behind_an_answer(void **state)
{
	(void)state;
	MAKE("", 0,
	     "\0\x43\x05"
	     "e/x.y\x36\x04\x0a\0\0\2");
	for (size_t n = 0; n < 260; n++) {
		struct guard g = guard_new(n ? n : 1);
		uint8_t *p = guard_end(&g, n);

		memcpy(p, answer, n);
		uefi_beside_bootp(to, sizeof(to), server, p, n);
		guard_free(&g);
	}
}

static void a_reply_of_dhcpv6_has_a_url(void **state)
{
	static const struct {
		const char *url, *want; /* NULL: refused */
	} cases[] = {
		{ "tftp://[2001:db8::1]/d/nbdboot.efi", "d/nbdboot.conf" },
		{ "TFTP://[2001:db8::1]/nbdboot.efi", "nbdboot.conf" },
		{ "tftp://[2001:db8::1]/", "nbdboot.conf" },
		{ "tftp://[2001:db8::1]", NULL },
		{ "tftp://[2001:db8::1]:69/x", NULL },
		{ "tftp://[host]/x", NULL },
		{ "tftp://192.0.2.1/x", NULL },
		{ "http://[2001:db8::1]/x", NULL },
		{ "", NULL },
	};
	static const uint8_t one[16] = { 0x20, 1, 0x0d, 0xb8, [15] = 1 };
	uint8_t at[16];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/* a Reply, an empty option, the URL; then zeros */
		uint8_t m[100] = { 7, 1, 2, 3, 0, 14, 0, 0, 0, 59 };
		size_t n = strlen(cases[i].url);
		bool good;

		m[11] = (uint8_t)n;
		memcpy(m + 12, cases[i].url, n);
		good = uefi_beside_dhcp6(to, sizeof(to), at, m, sizeof(m));
		assert_int_equal(good, cases[i].want != NULL);
		if (!good)
			continue;
		assert_string_equal(to, cases[i].want);
		assert_memory_equal(at, one, 16);
	}
}

/* Cut anywhere, no byte behind the end is read. */
static void a_reply_that_is_cut_has_none(void **state)
{
	static const uint8_t m[] = { 7,	  1,   2,   3,	 0,   14,  0,	0,
				     0,	  59,  0,   12,	 't', 'f', 't', 'p',
				     ':', '/', '/', '[', ':', ':', ']', '/' };

	(void)state;
	for (size_t n = 0; n <= sizeof(m); n++) {
		struct guard g = guard_new(n ? n : 1);
		uint8_t *p = guard_end(&g, n);

		memcpy(p, m, n);
		assert_int_equal(uefi_beside_dhcp6(to, sizeof(to), server16, p,
						   n),
				 n == sizeof(m));
		guard_free(&g);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_in_the_directory_of_the_program),
		cmocka_unit_test(a_url_has_a_query_a_fragment_or_no_path),
		cmocka_unit_test(
			a_device_path_has_a_node_for_each_directory_or_one),
		cmocka_unit_test(
			a_device_path_that_is_cut_or_long_does_no_harm),
		cmocka_unit_test(an_answer_of_pxe_has_a_field_or_an_option),
		cmocka_unit_test(no_byte_is_read_behind_an_answer),
		cmocka_unit_test(a_reply_of_dhcpv6_has_a_url),
		cmocka_unit_test(a_reply_that_is_cut_has_none),
	};

	return cmocka_run_group_tests_name("uefi where", tests, NULL, NULL);
}
