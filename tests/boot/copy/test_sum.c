/* SPDX-License-Identifier: BSD-2-Clause */
/* The hash of pieces that wait for their turn, or come twice. */
#include "boot/copy/copy.h"

#include <string.h>

#include "tests/unit.h"

static char image[3000];

static void piece(struct copy *c, uint64_t offset, uint32_t len, bool zero)
{
	struct task t = { .zero = zero, .offset = offset, .len = len };

	t.iov.base = image + offset;
	copy_hash_take(c, &t);
}

static bool is_turn(const struct copy *c, uint64_t offset)
{
	const struct task t = { .offset = offset, .len = 1 };

	return copy_hash_is_turn(c, &t);
}

/* "abc", and 2997 zeroes: by sha256sum. */
static const char want[] = "b7c4a9973278d00a90090302c8d6ef15"
			   "5972f756541c3b592589b635ae7e1d1e";

static void begin(struct copy *c, struct side *dst, bool in_order)
{
	memset(image, 0, sizeof(image));
	memcpy(image, "abc", 3);
	*dst = (struct side){ .zeroes = COPY_ZEROES };
	*c = (struct copy){ .dst = dst };
	copy_hash_begin(c, in_order);
}

static void check(struct copy *c)
{
	char text[COPY_HASH_TEXT];

	assert_int_equal(c->hash.done, sizeof(image));
	copy_hash_print(c, text);
	assert_string_equal(text, want);
}

static void pieces_in_order_are_hashed(void **state)
{
	struct side dst;
	struct copy c;

	(void)state;
	begin(&c, &dst, true);
	assert_true(dst.zeroes < COPY_ZEROES);
	piece(&c, 0, 1000, false);
	assert_false(is_turn(&c, 1001));
	assert_true(is_turn(&c, 1000));
	piece(&c, 1000, 1500, true);
	piece(&c, 2500, 500, false);
	check(&c);
}

static void what_comes_again_counts_once(void **state)
{
	struct side dst;
	struct copy c;

	(void)state;
	begin(&c, &dst, true);
	piece(&c, 0, 2, false);
	piece(&c, 0, 2, false);
	assert_true(is_turn(&c, 1));
	piece(&c, 1, 999, false);
	piece(&c, 500, 500, true);
	piece(&c, 500, 2500, true);
	check(&c);
}

static void a_gap_is_left_to_the_end(void **state)
{
	struct side dst;
	struct copy c;

	(void)state;
	begin(&c, &dst, true);
	piece(&c, 0, 1000, false);
	piece(&c, 1001, 1000, false);
	assert_int_equal(c.hash.done, 1000);
	/* copied in any order: nothing waits, and nothing is hashed */
	begin(&c, &dst, false);
	assert_true(is_turn(&c, 1000));
	piece(&c, 0, 1000, false);
	assert_int_equal(c.hash.done, 0);
}

static void an_outage_begins_again(void **state)
{
	struct side dst;
	struct copy c;

	(void)state;
	begin(&c, &dst, true);
	piece(&c, 0, 1000, false);
	copy_hash_forget(&c);
	assert_int_equal(c.hash.done, 0);
	assert_false(c.lost);
	assert_true(is_turn(&c, 2000));
	/* in the pass that reads, nobody waits for a turn that never comes */
	c.hash.reads = true;
	piece(&c, 0, 1000, false);
	copy_hash_forget(&c);
	assert_true(c.lost);
	assert_true(is_turn(&c, 2000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_in_order_are_hashed),
		cmocka_unit_test(what_comes_again_counts_once),
		cmocka_unit_test(a_gap_is_left_to_the_end),
		cmocka_unit_test(an_outage_begins_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
