/* SPDX-License-Identifier: BSD-2-Clause */
/* When the watcher makes a mapping larger. */
#include "boot/watch/growth.h"
#include "boot/mapper/mapper.h"
#include "port/linux/nbdk.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/path.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEVICES 41
#define CHILD	4711
#define DRIVER	"/sys/block/../module/dm_mod"

static struct watch_growth grow;
static struct device dev;
static struct play {
	bool lives;
	bool in_child; /* the copy, too, which runs in this process */
	int result;    /* of the child */
	unsigned forks;
} play;
static jmp_buf ended;

pid_t __wrap_watch_fork(int a, int b);
pid_t __wrap_watch_fork(int a, int b)
{
	assert_int_equal(a, DEVICES);
	assert_int_equal(b, grow.run);
	play.forks++;
	return play.in_child ? 0 : CHILD;
}

pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	if (pid != CHILD)
		return __real_waitpid(pid, status, options);
	assert_int_equal(options, WNOHANG);
	*status = play.result << 8;
	return play.lives ? 0 : CHILD;
}

int __wrap_mapper_grow(int devices, int run, int index, struct nbd_diag *d);
int __wrap_mapper_grow(int devices, int run, int index, struct nbd_diag *d)
{
	(void)d;
	assert_int_equal(devices, DEVICES);
	assert_int_equal(run, grow.run);
	assert_int_equal(index, 3);
	return play.result;
}

void __wrap__exit(int status);
void __wrap__exit(int status)
{
	longjmp(ended, 1 + status);
}

static int look(void)
{
	return watch_growth_look(&grow, &dev);
}

static int begin(void **state)
{
	(void)state;
	play = (struct play){ 0 };
	world = (struct world){ .now = 1000 };
	world_file(DRIVER, "");
	dev.info.index = 3;
	dev.info.size = 4096;
	watch_growth_open(&grow, DEVICES);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return close(grow.run);
}

static void it_is_looked_at_once_for_each_size(void **state)
{
	(void)state;
	assert_true(look() > 0);
	assert_int_equal(look(), -1);
	assert_int_equal(look(), -1);
	assert_int_equal(play.forks, 1);
	dev.info.size = 8192;
	assert_true(look() > 0);
	assert_int_equal(look(), -1);
	assert_int_equal(play.forks, 2);
}

static void one_child_is_enough(void **state)
{
	(void)state;
	play.lives = true;
	for (unsigned i = 0; i < 9; i++)
		assert_true(look() > 0);
	assert_int_equal(play.forks, 1);
	/* what has grown while it ran is for the next one */
	dev.info.size = 8192;
	play.lives = false;
	assert_true(look() > 0);
	assert_int_equal(play.forks, 2);
}

static void a_failure_is_tried_again_later(void **state)
{
	int ms;

	(void)state;
	play.result = 1;
	look();
	for (unsigned i = 0; i < 20; i++) {
		ms = look();
		assert_in_range(ms, 500, 45000);
		assert_int_equal(play.forks, i + 1);
		world.now += (unsigned)ms;
		assert_true(look() > 0);
		assert_int_equal(play.forks, i + 2);
	}
	play.result = 0;
	assert_int_equal(look(), -1);
}

static void without_the_driver_there_is_no_mapping(void **state)
{
	(void)state;
	world_file(DRIVER, NULL);
	assert_int_equal(look(), -1);
	/* one is made later, and has the size of then */
	world_file(DRIVER, "");
	assert_int_equal(look(), -1);
	assert_int_equal(play.forks, 0);
	dev.info.size = 8192;
	assert_true(look() > 0);
}

static void the_child_tells_how_it_ended(void **state)
{
	volatile int status;

	(void)state;
	play.in_child = true;
	status = setjmp(ended);
	if (!status)
		look();
	assert_int_equal(status, 1);
	play.result = NBD_E_AGAIN;
	status = setjmp(ended);
	if (!status)
		look();
	assert_int_equal(status, 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			it_is_looked_at_once_for_each_size, begin, end),
		cmocka_unit_test_setup_teardown(one_child_is_enough, begin,
						end),
		cmocka_unit_test_setup_teardown(a_failure_is_tried_again_later,
						begin, end),
		cmocka_unit_test_setup_teardown(
			without_the_driver_there_is_no_mapping, begin, end),
		cmocka_unit_test_setup_teardown(the_child_tells_how_it_ended,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
