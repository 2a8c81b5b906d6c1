/* SPDX-License-Identifier: BSD-2-Clause */
/* Which blocks of a piece are written, for each pattern of those that differ. */
#include "boot/copy/copy.h"

#include <string.h>

#include "tests/unit.h"

#define BLOCK  4096u
#define BLOCKS 6u
/* The last one is short. */
#define LEN    (BLOCKS * BLOCK - 1000)

static char is[BLOCKS * BLOCK], want[BLOCKS * BLOCK];
static struct copy c;

static struct task piece(bool zero)
{
	struct task t = { .zero = zero, .offset = 1 << 20, .len = LEN };

	/* of zeroes it has no buffer */
	t.iov.base = zero ? NULL : want;
	t.other.base = is;
	return t;
}

/* Marks what is written; returns in how many writes. */
static unsigned write_all(bool zero, bool written[BLOCKS])
{
	struct task t = piece(zero);
	bool more = copy_delta_first(&c, &t);
	uint64_t end = 0;
	unsigned n = 0;

	memset(written, 0, BLOCKS);
	for (; more; more = copy_delta_next(&c, &t)) {
		uint64_t at = t.offset - (1 << 20);

		/* behind the last one, and not adjacent */
		assert_true(!n || at > end);
		assert_int_equal(at % BLOCK, 0);
		assert_true(at + t.len <= LEN);
		end = at + t.len;
		assert_true(end % BLOCK == 0 || end == LEN);
		if (!zero)
			assert_memory_equal(t.iov.base, want + at, t.len);
		assert_int_equal(t.iov.len, t.len);
		for (uint64_t i = at / BLOCK; i * BLOCK < end; i++)
			written[i] = true;
		n++;
	}
	assert_int_equal(t.rest, 0);
	return n;
}

static void a_pattern(unsigned pattern, bool zero)
{
	unsigned runs = 0;
	bool written[BLOCKS];

	memset(is, zero ? 0 : 'x', sizeof(is));
	memset(want, zero ? 0 : 'x', sizeof(want));
	for (unsigned i = 0; i < BLOCKS; i++)
		if (pattern >> i & 1)
			is[i * BLOCK + i * 613] = 'y';
	for (unsigned i = 0; i < BLOCKS; i++)
		runs += (pattern >> i & 1) && !(i && pattern >> (i - 1) & 1);
	assert_int_equal(write_all(zero, written), runs);
	for (unsigned i = 0; i < BLOCKS; i++)
		assert_int_equal(written[i], pattern >> i & 1);
}

static void blocks_that_are_equal_are_not_written(void **state)
{
	(void)state;
	c.scan.align = 1;
	for (unsigned pattern = 0; pattern < 1u << BLOCKS; pattern++) {
		a_pattern(pattern, false);
		a_pattern(pattern, true);
	}
}

static void larger_blocks_of_a_side_are_whole(void **state)
{
	bool written[BLOCKS];

	(void)state;
	c.scan.align = 2 * BLOCK;
	memset(is, 'x', sizeof(is));
	memset(want, 'x', sizeof(want));
	is[3 * BLOCK] = 'y';
	assert_int_equal(write_all(false, written), 1);
	assert_true(written[2] && written[3]);
	assert_false(written[1] || written[4]);
}

/* As of a copy without --delta. */
static void a_piece_that_was_not_compared_has_no_rest(void **state)
{
	struct task t = piece(false);

	(void)state;
	assert_false(copy_delta_next(&c, &t));
	assert_int_equal(t.offset, 1 << 20);
	assert_int_equal(t.len, LEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_that_are_equal_are_not_written),
		cmocka_unit_test(larger_blocks_of_a_side_are_whole),
		cmocka_unit_test(a_piece_that_was_not_compared_has_no_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
