/* SPDX-License-Identifier: BSD-2-Clause */
/* The share of time in which the kernel copies. */
#include "boot/clone/throttle.h"
#include "port/linux/file.h"
#include "tests/unit.h"
#include "tests/world/clock.h"

#include <stdlib.h>

static unsigned share = 100;

uint64_t __wrap_file_number(int at, const char *name);
uint64_t __wrap_file_number(int at, const char *name)
{
	(void)at, (void)name;
	return share;
}

int __wrap_file_write(int at, const char *name, const void *data, size_t len);
int __wrap_file_write(int at, const char *name, const void *data, size_t len)
{
	(void)at, (void)len;
	assert_non_null(strstr(name, "/raid1_resync_throttle"));
	share = (unsigned)atoi(data);
	assert_in_range(share, 1, 100);
	return 0;
}

/* A disk that copies so many MiB/s if it may always. */
static uint64_t copy(unsigned rate, unsigned speed, unsigned seconds)
{
	struct clone_throttle t;
	uint64_t sectors = 0;

	world.now = 1000;
	clone_throttle_begin(&t, rate);
	for (unsigned i = 0; i < 4 * seconds; i++) {
		world.now += 250;
		sectors += speed * 2048ull * share / 100 / 4;
		clone_throttle_keep(&t, sectors, i);
	}
	clone_throttle_end(&t);
	return sectors / 2048 / seconds;
}

static void a_rate_is_kept(void **state)
{
	(void)state;
	assert_in_range(copy(20, 100, 60), 17, 21);
	assert_int_equal(share, 100);
	assert_in_range(copy(20, 1000, 60), 17, 25);
	assert_in_range(copy(200, 100, 60), 85, 100);
}

static void what_was_set_before_is_set_again(void **state)
{
	struct clone_throttle t;

	(void)state;
	share = 70;
	clone_throttle_begin(&t, 0);
	assert_int_not_equal(share, 70);
	clone_throttle_keep(&t, 1, 0);
	clone_throttle_end(&t);
	assert_int_equal(share, 70);
}

static void without_a_rate_programs_come_first(void **state)
{
	struct clone_throttle t;

	(void)state;
	share = 100;
	clone_throttle_begin(&t, 0);
	assert_in_range(share, 1, 25);
	clone_throttle_keep(&t, 0, 7);
	assert_in_range(share, 1, 25);
	clone_throttle_keep(&t, 0, 7);
	assert_int_equal(share, 100);
	clone_throttle_keep(&t, 0, 7);
	assert_int_equal(share, 100);
	clone_throttle_keep(&t, 0, 8);
	assert_in_range(share, 1, 25);
	clone_throttle_end(&t);
	assert_int_equal(share, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rate_is_kept),
		cmocka_unit_test(what_was_set_before_is_set_again),
		cmocka_unit_test(without_a_rate_programs_come_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
