/* SPDX-License-Identifier: BSD-2-Clause */
/* The lock of a device, in a directory in place of /run. */
#include "boot/device/device.h"
#include "boot/device/limit.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
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

/* A file that grows fails, as on a /run without room. */
static void leave_room(rlim_t bytes)
{
	struct rlimit room;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &room), 0);
	room.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &room), 0);
}

static void what_cannot_be_written_stays_as_it_was(void **state)
{
	const struct backend b = { .connections = 1, .slots = 8 };
	struct nbd_diag d = { "" };

	(void)state;
	assert_int_equal(device_want(INDEX, 4, &d), 0);
	device_limit_first(INDEX, 1 << 20);
	leave_room(0);
	assert_true(device_want(INDEX, 2, &d) < 0);
	device_limit_note(INDEX, 4096);
	leave_room(RLIM_INFINITY);
	assert_non_null(strstr(d.text, "write /run/nbdboot/nbd7.connections"));
	assert_int_equal(device_wanted(INDEX, &b), 4);
	assert_int_equal(device_limit_noted(INDEX), 1 << 20);
	assert_int_equal(device_want(INDEX, 0, &d), 0);
	device_limit_first(INDEX, 0);
	assert_int_equal(device_wanted(INDEX, &b), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_is_waited_for),
		cmocka_unit_test(a_process_that_hangs_does_not_keep_others_out),
		cmocka_unit_test(what_cannot_be_written_stays_as_it_was),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
