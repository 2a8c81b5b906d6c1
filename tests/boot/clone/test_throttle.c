/* SPDX-License-Identifier: BSD-2-Clause */
/* The share of time in which the kernel copies. */
#include "boot/clone/throttle.h"
#include "port/linux/file.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/file.h"

#include <stdlib.h>

#define SHARE "/sys/module/dm_mirror/parameters/raid1_resync_throttle"

static unsigned share(void)
{
	unsigned n = (unsigned)file_number(-1, SHARE);

	assert_in_range(n, 1, 100);
	return n;
}

/* A disk that copies so many MiB/s if it may always. */
static uint64_t copy(unsigned rate, unsigned speed, unsigned seconds)
{
	struct clone_throttle t;
	uint64_t sectors = 0;

	world = (struct world){ .now = 1000 };
	world_file(SHARE, "100\n");
	clone_throttle_begin(&t, rate);
	for (unsigned i = 0; i < 4 * seconds; i++) {
		world.now += 250;
		sectors += speed * 2048ull * share() / 100 / 4;
		clone_throttle_keep(&t, sectors, i);
	}
	clone_throttle_end(&t);
	return sectors / 2048 / seconds;
}

static void a_rate_is_kept(void **state)
{
	(void)state;
	assert_in_range(copy(20, 100, 60), 17, 21);
	assert_int_equal(share(), 100);
	assert_in_range(copy(20, 1000, 60), 17, 25);
	assert_in_range(copy(200, 100, 60), 85, 100);
}

static void what_was_set_before_is_set_again(void **state)
{
	struct clone_throttle t;

	(void)state;
	world_file(SHARE, "70\n");
	clone_throttle_begin(&t, 0);
	assert_int_not_equal(share(), 70);
	clone_throttle_keep(&t, 1, 0);
	clone_throttle_end(&t);
	assert_int_equal(share(), 70);
}

/* The copy before was killed, and has left its own. */
static void what_a_killed_copy_has_set_is_not_set_again(void **state)
{
	struct clone_throttle t;

	(void)state;
	world_file(SHARE, "100\n");
	clone_throttle_begin(&t, 0);
	clone_throttle_begin(&t, 0);
	clone_throttle_end(&t);
	assert_int_equal(share(), 100);
}

static void without_a_rate_programs_come_first(void **state)
{
	struct clone_throttle t;

	(void)state;
	world_file(SHARE, "100\n");
	clone_throttle_begin(&t, 0);
	assert_in_range(share(), 1, 25);
	clone_throttle_keep(&t, 0, 7);
	assert_in_range(share(), 1, 25);
	clone_throttle_keep(&t, 0, 7);
	assert_int_equal(share(), 100);
	clone_throttle_keep(&t, 0, 7);
	assert_int_equal(share(), 100);
	clone_throttle_keep(&t, 0, 8);
	assert_in_range(share(), 1, 25);
	clone_throttle_end(&t);
	assert_int_equal(share(), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rate_is_kept),
		cmocka_unit_test(what_was_set_before_is_set_again),
		cmocka_unit_test(what_a_killed_copy_has_set_is_not_set_again),
		cmocka_unit_test(without_a_rate_programs_come_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
