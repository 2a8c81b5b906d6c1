/* SPDX-License-Identifier: BSD-2-Clause */
/* The lock of a device, in a directory in place of /run. */
#include "boot/device/device.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/run.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX 7

static char dir[] = "/tmp/test_files.XXXXXX";
static int other; /* the lock of another process */
static uint64_t lets_go;

static void paused(int ms)
{
	(void)ms;
	if (world.now >= lets_go)
		flock(other, LOCK_UN);
}

static int begin(void **state)
{
	(void)state;
	world = (struct world){ .now = 1000, .paused = paused };
	world.run_fd = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY) : -1;
	mkdirat(world.run_fd, "nbdboot", 0700);
	other = openat(world.run_fd, "nbdboot/nbd7.lock", O_RDWR | O_CREAT,
		       0600);
	return other < 0;
}

static int end(void **state)
{
	(void)state;
	unlinkat(world.run_fd, "nbdboot/nbd7.lock", 0);
	unlinkat(world.run_fd, "nbdboot", AT_REMOVEDIR);
	return rmdir(dir);
}

/* Returns the ms that the lock was waited for; *held: it is ours. */
static uint64_t lock_after(uint64_t ms, bool *held)
{
	uint64_t begun = world.now;
	int lock;

	lets_go = begun + ms;
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	alarm(10); /* a test that hangs dies */
	lock = device_lock(INDEX);
	alarm(0);
	assert_true(lock >= 0);
	*held = flock(other, LOCK_EX | LOCK_NB) && world.now >= lets_go;
	device_unlock(lock);
	assert_int_equal(flock(other, LOCK_UN), 0);
	return world.now - begun;
}

static void a_lock_is_waited_for(void **state)
{
	bool held;

	(void)state;
	assert_in_range(lock_after(30000, &held), 30000, 30100);
	assert_true(held);
}

/* As a stopped one, or one whose program is on the device that hangs. */
static void a_process_that_hangs_does_not_keep_others_out(void **state)
{
	bool held;

	(void)state;
	assert_in_range(lock_after(UINT32_MAX, &held), 60000, 60100);
	assert_false(held);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_is_waited_for),
		cmocka_unit_test(a_process_that_hangs_does_not_keep_others_out),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
