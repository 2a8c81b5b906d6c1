/* SPDX-License-Identifier: BSD-2-Clause */
/* The mean of the reads that the kernel counts since a device is connected. */
#include "boot/prefetch/distance.h"
#include "tests/unit.h"
#include "tests/world/path.h"

#define STAT "/sys/block/nbd3/stat"

static struct prefetch_reads before[PREFETCH_DEVICES];

static uint32_t us(const char *then, const char *now)
{
	world = (struct world){ .others = WORLD_REAL };
	world_file(STAT, then);
	prefetch_distance_begin(before);
	world_file(STAT, now);
	return prefetch_distance(before, 3);
}

static void it_is_the_mean_of_the_reads_since_then(void **state)
{
	(void)state;
	/* a device of its own */
	assert_int_equal(us(NULL, "4 0 32 7 0 0 0 0 0 0 0\n"), 1750);
	/* of another server before */
	assert_int_equal(us("1000 0 8000 90 5 0 40 9 0 0 0\n",
			    "1002 0 8016 130 9 0 72 99 0 0 0\n"),
			 20000);
	assert_int_equal(us(NULL, "9 0 72 0 0 0 0 0 0 0 0\n"), 1);
	assert_int_equal(us(NULL, "1 0 8 99999999999 0 0 0 0 0 0 0\n"),
			 UINT32_MAX);
}

static void without_a_read_it_is_not_known(void **state)
{
	(void)state;
	assert_int_equal(us(NULL, NULL), 0);
	assert_int_equal(
		us("9 0 72 3 0 0 0 0 0 0 0\n", "9 0 72 3 0 0 0 0 0 0 0\n"), 0);
	/* made anew */
	assert_int_equal(
		us("9 0 72 3 0 0 0 0 0 0 0\n", "2 0 16 9 0 0 0 0 0 0 0\n"), 0);
	assert_int_equal(
		us("2 0 16 9 0 0 0 0 0 0 0\n", "9 0 72 3 0 0 0 0 0 0 0\n"), 0);
	assert_int_equal(prefetch_distance(before, PREFETCH_DEVICES), 0);
	assert_int_equal(prefetch_distance(before, -1), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_mean_of_the_reads_since_then),
		cmocka_unit_test(without_a_read_it_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
