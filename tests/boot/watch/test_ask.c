/* SPDX-License-Identifier: BSD-2-Clause */
/* Which reads a watcher sends over the connections of a device. */
#include "boot/watch/watch.h"
#include "boot/watch/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "port/linux/file.h"
#include "port/linux/nbdk.h"
#include "port/text.h"
#include "tests/unit.h"

#define INDEX	7
#define DEVICES 41
#define DISK	42
#define CHILD	4711
#define FDS	(2 * WATCH_MAX)

static struct watch_ask ask;
static char sys[] = "/tmp/nbdboot-ask-XXXXXX";
static struct play {
	bool in_child; /* the copy, too, which runs in this process */
	bool no_disk, lives, offline;
	int fails;     /* at this read, from 1 on */
	unsigned cpus; /* that were read from, a bit for each */
	int cpu, reads, reaped, ends;
	bool closed[FDS];
} play;
static jmp_buf ended;

pid_t __wrap__Fork(void);
pid_t __wrap__Fork(void)
{
	return play.in_child ? 0 : CHILD;
}

void __wrap__exit(int status);
void __wrap__exit(int status)
{
	assert_int_equal(status, 0);
	play.ends++;
	longjmp(ended, 1);
}

pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	if (pid != CHILD)
		return __real_waitpid(pid, status, options);
	assert_int_equal(options, WNOHANG);
	play.reaped += !play.lives;
	return play.lives ? 0 : CHILD;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	/* the child closes all that a watcher has before it opens anything */
	if (!play.in_child || play.closed[FDS - 1])
		return __real_close(fd);
	play.closed[fd] = true;
	return 0;
}

int __real_openat(int at, const char *name, int flags, ...);
int __wrap_openat(int at, const char *name, int flags, ...);
int __wrap_openat(int at, const char *name, int flags, ...)
{
	if (at != DEVICES)
		return __real_openat(at, name, flags, 0);
	assert_string_equal(name, "nbd7");
	assert_int_equal(flags, O_RDONLY | O_DIRECT | O_CLOEXEC);
	return play.no_disk ? -1 : DISK;
}

int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);
int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	assert_int_equal(pid, 0);
	assert_int_equal(size, sizeof(*set));
	assert_int_equal(CPU_COUNT(set), 1);
	for (play.cpu = 0; !CPU_ISSET((unsigned)play.cpu, set); play.cpu++)
		;
	return play.offline ? -1 : 0;
}

ssize_t __wrap_pread(int fd, void *buf, size_t len, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t len, off_t at)
{
	assert_int_equal(fd, DISK);
	assert_int_equal(len, 4096);
	assert_int_equal(at, 0);
	assert_int_equal((uintptr_t)buf % 4096, 0);
	play.cpus |= 1u << play.cpu;
	return ++play.reads == play.fails ? -1 : 4096;
}

/* As the watcher, and as its child. */
static void asks(bool in_child)
{
	play.in_child = in_child;
	if (!setjmp(ended))
		watch_ask(&ask, INDEX);
	play.in_child = false;
}

static void each_queue_is_read_from_one_of_its_cpus(void **state)
{
	(void)state;
	asks(true);
	assert_int_equal(play.reads, 3);
	assert_int_equal(play.cpus, 1u << 0 | 1u << 2 | 1u << 13);
	assert_int_equal(play.ends, 1);
	for (int fd = 3; fd < FDS; fd++)
		assert_int_equal(play.closed[fd], fd != DEVICES);
}

static void an_error_ends_the_child(void **state)
{
	(void)state;
	play.fails = 2;
	asks(true);
	assert_int_equal(play.reads, 2);
	assert_int_equal(play.ends, 1);

	play = (struct play){ .no_disk = true };
	asks(true);
	assert_int_equal(play.reads, 0);
	assert_int_equal(play.ends, 1);

	play = (struct play){ .offline = true };
	asks(true);
	assert_int_equal(play.reads, 0);
	assert_int_equal(play.ends, 1);
}

static void one_that_hangs_is_not_followed_by_another(void **state)
{
	(void)state;
	asks(false);
	assert_int_equal(ask.pid, CHILD);
	play.lives = true;
	/* it would be this process */
	asks(true);
	assert_int_equal(play.ends, 0);
	play.lives = false;
	asks(false);
	assert_int_equal(play.reaped, 1);
	assert_int_equal(ask.pid, CHILD);
}

static int reset(void **state)
{
	(void)state;
	play = (struct play){ 0 };
	ask = (struct watch_ask){ .devices = DEVICES };
	return 0;
}

static int make_queue(const char *queue, const char *cpus)
{
	char path[96];

	nbd_fmt(path, sizeof(path), "%s/nbd7/mq/%s", sys, queue);
	if (mkdir(path, 0700))
		return -1;
	nbd_fmt(path, sizeof(path), "%s/nbd7/mq/%s/cpu_list", sys, queue);
	return file_write(AT_FDCWD, path, cpus, strlen(cpus));
}

static int make_tree(void **state)
{
	char path[96];

	(void)state;
	if (!mkdtemp(sys))
		return -1;
	nbdk_sys = sys;
	nbd_fmt(path, sizeof(path), "%s/nbd7", sys);
	mkdir(path, 0700);
	nbd_fmt(path, sizeof(path), "%s/nbd7/mq", sys);
	mkdir(path, 0700);
	return make_queue("0", "0, 1\n") || make_queue("1", "2, 3\n") ||
			       make_queue("10", "13\n")
		       ? -1
		       : 0;
}

static int remove_tree(void **state)
{
	char command[96];

	(void)state;
	nbd_fmt(command, sizeof(command), "rm -r %s", sys);
	return system(command);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_queue_is_read_from_one_of_its_cpus,
				       reset),
		cmocka_unit_test_setup(an_error_ends_the_child, reset),
		cmocka_unit_test_setup(
			one_that_hangs_is_not_followed_by_another, reset),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
