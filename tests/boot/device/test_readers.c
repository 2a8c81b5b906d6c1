/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of the driver's queue, in a /proc that the test makes. */
#include "boot/device/readers.h"
#include "port/port.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit.h"
#include "tests/world/clock.h"

static char root[32];
static int proc, processes;

static void process(const char *comm)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d", root, 100 + processes);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/%d/comm", root, 100 + processes++);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", comm);
	fclose(f);
}

/* The file stat of the last process. */
static void stat_is(const char *text)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d/stat", root, 99 + processes);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* The state of the last process, and the hundredths that it ran in the kernel. */
static void runs(char as, unsigned ticks)
{
	char line[128];

	snprintf(line, sizeof(line),
		 "%d (kworker/u5:1+nbd0) recv) %c 2 0 0 0 -1 69238880 0 0 0 0 "
		 "999 %u 0 0 20 0 1 0 30 0 0\n",
		 99 + processes, as, ticks);
	stat_is(line);
}

/* The function in which the last process sleeps. */
static void sleeps_in(const char *function)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d/wchan", root, 99 + processes);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(function, f);
	fclose(f);
}

static int start(void **state)
{
	(void)state;
	strcpy(root, "/tmp/readers.XXXXXX");
	assert_non_null(mkdtemp(root));
	proc = open(root, O_RDONLY | O_DIRECTORY);
	assert_true(proc >= 0);
	processes = 0;
	world = (struct world){ .now = 1000 };
	process("init");
	process("kworker/u5:0+events_unbound");
	return 0;
}

static int stop(void **state)
{
	char path[64];

	(void)state;
	while (processes) {
		snprintf(path, sizeof(path), "%s/%d/stat", root,
			 100 + --processes);
		unlink(path);
		strcpy(strrchr(path, '/'), "/wchan");
		unlink(path);
		strcpy(strrchr(path, '/'), "/comm");
		unlink(path);
		*strrchr(path, '/') = '\0';
		rmdir(path);
	}
	close(proc);
	return rmdir(root);
}

static void a_worker_for_each_is_enough(void **state)
{
	(void)state;
	process("nbd0-recv");
	process("kworker/u5:1+nbd0-recv");
	process("kworker/u5:2+nbd0-recv");
	assert_true(device_readers_await(proc, 0, 2));
	assert_int_equal(world.now, 1000);
}

static void the_names_of_other_kernels_are_known(void **state)
{
	(void)state;
	process("kworker/R-nbd0-recv");
	process("kworker/u33:1+knbd0-recv");
	assert_true(device_readers_await(proc, 0, 1));
	assert_int_equal(world.now, 1000);
	process("kworker/R-nbd0-recv+nbd0-recv");
	assert_false(device_readers_await(proc, 0, 1));
}

static void other_devices_do_not_count(void **state)
{
	(void)state;
	process("nbd1-recv");
	process("kworker/u5:1+nbd1-recv");
	process("kworker/u5:2+nbd11-recv");
	process("kworker/u5:3-nbd1-recv");
	assert_false(device_readers_await(proc, 1, 2));
}

static void come(int ms)
{
	(void)ms;
	if (world.now > 1200) {
		process("kworker/u5:2+nbd0-recv");
		world.paused = NULL;
	}
}

static void a_late_worker_is_awaited(void **state)
{
	(void)state;
	process("nbd0-recv");
	process("kworker/u5:1+nbd0-recv");
	world.paused = come;
	assert_true(device_readers_await(proc, 0, 2));
	assert_in_range(world.now, 1200, 1300);
}

static void the_rescuer_is_reported_at_once(void **state)
{
	(void)state;
	process("nbd0-recv+nbd0-recv");
	process("kworker/u5:1+nbd0-recv");
	assert_false(device_readers_await(proc, 0, 2));
	assert_int_equal(world.now, 1000);
}

static void waiting_ends(void **state)
{
	(void)state;
	process("nbd0-recv");
	assert_false(device_readers_await(proc, 0, 1));
	assert_in_range(world.now, 2000, 2100);
}

static void without_kernel_threads_nothing_is_known(void **state)
{
	(void)state;
	assert_true(device_readers_await(proc, 0, 4));
	assert_true(device_readers_await(-1, 0, 4));
	assert_int_equal(world.now, 1000);
}

static void all_that_run_are_counted(void **state)
{
	(void)state;
	assert_true(device_readers_run(proc, 0, 1));
	process("nbd0-recv");
	process("kworker/u5:1+nbd0-recv");
	process("kworker/u5:2-nbd0-recv");
	process("kworker/u5:3+nbd1-recv");
	assert_true(device_readers_run(proc, 0, 1));
	assert_false(device_readers_run(proc, 0, 2));
	process("kworker/R-nbd0-recv+nbd0-recv");
	assert_true(device_readers_run(proc, 0, 2));
	assert_int_equal(world.now, 1000);
}

static void one_that_sleeps_is_in_no_dead_socket(void **state)
{
	struct device_readers r = { 0 };

	(void)state;
	assert_true(device_readers_clear(proc, 0, &r));
	/* those of others are no matter */
	process("kworker/u5:3+nbd1-recv");
	runs('R', 0);
	process("kworker/u5:2-nbd0-recv");
	runs('R', 0);
	process("kworker/u5:1+nbd0-recv");
	runs('S', 7);
	assert_true(device_readers_clear(proc, 0, &r));
	process("nbd0-recv+nbd0-recv");
	runs('R', 7);
	assert_false(device_readers_clear(proc, 0, &r));
	runs('D', 7);
	assert_false(device_readers_clear(proc, 0, &r));
	runs('S', 7);
	assert_true(device_readers_clear(proc, 0, &r));
	/* it has data now */
	runs('R', 7);
	assert_true(device_readers_clear(proc, 0, &r));
	r.n = 0;
	assert_false(device_readers_clear(proc, 0, &r));
	/* it has ended, and waits for work */
	runs('I', 7);
	assert_true(device_readers_clear(proc, 0, &r));
}

/* One that never lacks data need not sleep. */
static void nor_is_one_that_runs_for_long(void **state)
{
	struct device_readers r = { 0 };

	(void)state;
	process("kworker/u5:1+nbd0-recv");
	runs('R', 70000);
	assert_false(device_readers_clear(proc, 0, &r));
	runs('R', 70019);
	assert_false(device_readers_clear(proc, 0, &r));
	runs('R', 70020);
	assert_true(device_readers_clear(proc, 0, &r));
}

static void what_cannot_be_read_is_not_sure(void **state)
{
	struct device_readers r = { 0 };

	(void)state;
	process("kworker/u5:1+nbd0-recv");
	/* it is gone since its name was read */
	assert_true(device_readers_clear(proc, 0, &r));
	runs('S', 0);
	stat_is("1 (x)");
	assert_false(device_readers_clear(proc, 0, &r));
	runs('S', 0);
	/* more than there is room for */
	r.n = DEVICE_READERS;
	assert_false(device_readers_clear(proc, 0, &r));
}

/* As the request does whose reply it has read: await_left() in device.c. */
static void one_that_only_waits_for_a_lock_is_locked(void **state)
{
	struct device_readers r = { 0 };

	(void)state;
	process("kworker/u5:1+nbd0-recv");
	runs('D', 7);
	sleeps_in("nbd_handle_reply.isra.0");
	for (unsigned i = 1; i < 100; i++) {
		assert_false(device_readers_clear(proc, 0, &r));
		assert_false(r.locked);
	}
	assert_false(device_readers_clear(proc, 0, &r));
	assert_true(r.locked);
	/* one that runs meanwhile begins anew */
	runs('R', 7);
	assert_false(device_readers_clear(proc, 0, &r));
	assert_false(r.locked);
	runs('D', 8);
	for (unsigned i = 0; i < 200; i++)
		assert_false(device_readers_clear(proc, 0, &r));
	assert_false(r.locked);
}

static void one_that_has_ended_is_locked_no_more(void **state)
{
	struct device_readers r = { 0 };

	(void)state;
	process("kworker/u5:1+nbd0-recv");
	runs('D', 7);
	sleeps_in("recv_work");
	for (unsigned i = 0; i < 100; i++)
		assert_false(device_readers_clear(proc, 0, &r));
	assert_true(r.locked);
	runs('I', 7);
	assert_true(device_readers_clear(proc, 0, &r));
	assert_false(r.locked);
}

/* The lock of a socket is in memory that is freed with it. */
static void one_that_waits_for_a_lock_of_its_socket_is_not_locked(void **state)
{
	static const char *const in[] = { "__lock_sock", "recv_work_other",
					  "unix_stream_read_generic", "0", "" };
	struct device_readers r = { 0 };

	(void)state;
	process("kworker/u5:1+nbd0-recv");
	runs('D', 7);
	/* nor one of which this is not known */
	for (unsigned i = 0; i < 200; i++)
		assert_false(device_readers_clear(proc, 0, &r));
	assert_false(r.locked);
	for (unsigned k = 0; k < ARRAY_SIZE(in); k++) {
		sleeps_in(in[k]);
		for (unsigned i = 0; i < 200; i++)
			assert_false(device_readers_clear(proc, 0, &r));
		assert_false(r.locked);
	}
}

/* It may be inside a dead socket, and not get a turn to leave it. */
static void
one_that_may_be_inside_counts_more_than_one_that_is_locked(void **state)
{
	struct device_readers r = { 0 };

	(void)state;
	process("kworker/u5:1+nbd0-recv");
	runs('R', 7);
	process("kworker/u5:2+nbd0-recv");
	runs('D', 7);
	sleeps_in("recv_work");
	for (unsigned i = 0; i < 200; i++)
		assert_false(device_readers_clear(proc, 0, &r));
	assert_false(r.locked);
	/* one that sleeps is inside none */
	processes--;
	runs('S', 7);
	processes++;
	assert_false(device_readers_clear(proc, 0, &r));
	assert_true(r.locked);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(a_worker_for_each_is_enough),
		TEST(the_names_of_other_kernels_are_known),
		TEST(other_devices_do_not_count),
		TEST(a_late_worker_is_awaited),
		TEST(the_rescuer_is_reported_at_once),
		TEST(waiting_ends),
		TEST(without_kernel_threads_nothing_is_known),
		TEST(all_that_run_are_counted),
		TEST(one_that_sleeps_is_in_no_dead_socket),
		TEST(nor_is_one_that_runs_for_long),
		TEST(what_cannot_be_read_is_not_sure),
		TEST(one_that_only_waits_for_a_lock_is_locked),
		TEST(one_that_has_ended_is_locked_no_more),
		TEST(one_that_waits_for_a_lock_of_its_socket_is_not_locked),
		TEST(one_that_may_be_inside_counts_more_than_one_that_is_locked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
