/* SPDX-License-Identifier: BSD-2-Clause */
/* Which part of a source is copied, and how fast. */
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

static struct nbd_diag d;

static int range(struct side *s, uint64_t offset, uint64_t length)
{
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
	assert_string_equal(d.text, "src ends at 1048576: it has nothing at "
				    "offset 1049088");
	assert_int_equal(range(&s, 512, 1 << 20), NBD_E_USAGE);
	assert_string_equal(d.text, "src ends at 1048576: it has no 1048576 "
				    "bytes at offset 512");
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

	(void)state;
	assert_int_equal(copy_side_range(&s, 0, 512, &d), NBD_E_USAGE);
	assert_string_equal(d.text, "- has no size, so that no part of it can "
				    "be read");
}

/* ---- --rate ---- */

#define SECOND UINT64_C(1000000000)

/* Pieces of 1000 bytes, looked at each ms: the bytes until `end`. */
static uint64_t moved(struct copy *c, uint64_t *now, uint64_t end)
{
	uint64_t sum = 0;

	for (; *now < end; *now += SECOND / 1000)
		while (!copy_must_pause(c, *now)) {
			copy_pay(c, 1000, *now);
			sum += 1000;
		}
	return sum;
}

static void a_rate_is_kept_after_a_pause_too(void **state)
{
	struct copy c = { .rate = 1000 * 1000 };
	uint64_t now = 50 * SECOND, sum;

	(void)state;
	sum = moved(&c, &now, 60 * SECOND);
	assert_in_range(sum, 9990 * 1000, 10110 * 1000);
	now += 20 * SECOND;
	sum = moved(&c, &now, 81 * SECOND);
	assert_in_range(sum, 990 * 1000, 1110 * 1000);
}

static void late_looks_do_not_slow_it(void **state)
{
	struct copy c = { .rate = 1000 * 1000 };
	uint64_t sum = 0;

	(void)state;
	for (uint64_t now = SECOND; now < 11 * SECOND; now += SECOND / 20)
		while (!copy_must_pause(&c, now)) {
			copy_pay(&c, 1000, now);
			sum += 1000;
		}
	assert_in_range(sum, 9900 * 1000, 10110 * 1000);
}

static void without_a_rate_nothing_pauses(void **state)
{
	struct copy c = { .rate = 0 };

	(void)state;
	copy_pay(&c, UINT32_MAX, 5);
	assert_false(copy_must_pause(&c, 0));
}

static void pieces_are_smaller_at_a_low_rate(void **state)
{
	(void)state;
	assert_int_equal(copy_paced_piece(0, 65536, 1), 65536);
	assert_int_equal(copy_paced_piece(UINT64_C(1) << 50, 65536, 1), 65536);
	assert_int_equal(copy_paced_piece(80000, 65536, 4096), 8192);
	assert_int_equal(copy_paced_piece(100, 65536, 4096), 4096);
	assert_int_equal(copy_paced_piece(1, 65536, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_of_bytes_may_have_a_unit),
		cmocka_unit_test(anything_else_is_no_number_of_bytes),
		cmocka_unit_test(a_range_lies_in_the_source),
		cmocka_unit_test(a_range_has_whole_blocks),
		cmocka_unit_test(a_pipe_has_no_range),
		cmocka_unit_test(a_rate_is_kept_after_a_pause_too),
		cmocka_unit_test(late_looks_do_not_slow_it),
		cmocka_unit_test(without_a_rate_nothing_pauses),
		cmocka_unit_test(pieces_are_smaller_at_a_low_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
