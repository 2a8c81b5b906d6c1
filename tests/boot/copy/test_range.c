/* SPDX-License-Identifier: BSD-2-Clause */
/* Which part of a source is copied. */
#include "boot/copy/copy.h"

#include "tests/unit.h"

#define NO UINT64_MAX

static uint64_t bytes(const char *text)
{
	uint64_t n;

	return copy_bytes(text, &n) ? n : NO;
}

static void a_number_of_bytes_may_have_a_unit(void **state)
{
	(void)state;
	assert_int_equal(bytes("0"), 0);
	assert_int_equal(bytes("4096"), 4096);
	assert_int_equal(bytes("3K"), 3072);
	assert_int_equal(bytes("64M"), 64u << 20);
	assert_int_equal(bytes("5G"), UINT64_C(5) << 30);
	assert_int_equal(bytes("7T"), UINT64_C(7) << 40);
	assert_int_equal(bytes("9223372036854775807"), INT64_MAX);
	assert_int_equal(bytes("8388607T"), UINT64_C(8388607) << 40);
}

static void anything_else_is_no_number_of_bytes(void **state)
{
	static const char *const bad[] = {
		"",
		"K",
		"-1",
		"+1",
		" 1",
		"1 ",
		"1KB",
		"1KiB",
		"1k",
		"0x10",
		"1.5G",
		"1,000",
		"8388608T",
		"9223372036854775808",
		"18446744073709551616",
		"99999999999999999999999",
		"16777216T",
		"18014398509481984K",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(bytes(bad[i]), NO);
}

static int range(struct side *s, uint64_t offset, uint64_t length)
{
	struct nbd_diag d;

	*s = (struct side){ .name = "src", .size = 1 << 20, .align = 512 };
	return copy_side_range(s, offset, length, &d);
}

static void a_range_lies_in_the_source(void **state)
{
	struct side s;

	(void)state;
	assert_int_equal(range(&s, 4096, 0), 0);
	assert_int_equal(s.base, 4096);
	assert_int_equal(s.size, (1 << 20) - 4096);
	assert_int_equal(s.rest, 0);
	assert_int_equal(range(&s, 512, 1024), 0);
	assert_int_equal(s.rest, (1 << 20) - 1536);
	assert_int_equal(range(&s, 1 << 20, 0), 0);
	assert_int_equal(s.size, 0);
	assert_int_equal(range(&s, (1 << 20) + 512, 0), NBD_E_USAGE);
	assert_int_equal(range(&s, 512, 1 << 20), NBD_E_USAGE);
	assert_int_equal(range(&s, 512, UINT64_MAX - 511), NBD_E_USAGE);
	assert_int_equal(range(&s, UINT64_MAX - 511, 512), NBD_E_USAGE);
}

static void a_range_has_whole_blocks(void **state)
{
	struct side s;

	(void)state;
	assert_int_equal(range(&s, 100, 512), NBD_E_USAGE);
	assert_int_equal(range(&s, 512, 100), NBD_E_USAGE);
	assert_int_equal(s.base, 0);
	assert_int_equal(s.size, 1 << 20);
}

static void a_pipe_has_no_range(void **state)
{
	struct side s = { .name = "-", .is_pipe = true, .size = UINT64_MAX };
	struct nbd_diag d;

	(void)state;
	assert_int_equal(copy_side_range(&s, 0, 512, &d), NBD_E_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_of_bytes_may_have_a_unit),
		cmocka_unit_test(anything_else_is_no_number_of_bytes),
		cmocka_unit_test(a_range_lies_in_the_source),
		cmocka_unit_test(a_range_has_whole_blocks),
		cmocka_unit_test(a_pipe_has_no_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
