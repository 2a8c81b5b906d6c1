/* SPDX-License-Identifier: BSD-2-Clause */
/* Preparations for swap, with a kernel that the test plays. */
#include "boot/device/swap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "tests/unit.h"

#define FIRST 4096 /* bytes of a buffer before */

static int kept_fd;
static unsigned long total; /* KiB of memory */
static bool refused, written;
static int fds[4];

int __real_openat(int at, const char *path, int flags, ...);
int __wrap_openat(int at, const char *path, int flags, ...);
int __wrap_openat(int at, const char *path, int flags, ...)
{
	char self[32];

	assert_string_equal(path, "/proc/sys/vm/min_free_kbytes");
	if ((flags & O_ACCMODE) == O_WRONLY)
		written = true;
	if (refused) {
		errno = EACCES;
		return -1;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", kept_fd);
	return __real_openat(at, self, flags, 0644);
}

int __wrap_sysinfo(struct sysinfo *s);
int __wrap_sysinfo(struct sysinfo *s)
{
	/* in pages, as a kernel with much memory counts */
	s->mem_unit = 4096;
	s->totalram = total / 4;
	return 0;
}

static int get(int fd, int what)
{
	int v = -1;
	socklen_t len = sizeof(v);

	assert_int_equal(getsockopt(fd, SOL_SOCKET, what, &v, &len), 0);
	return v;
}

static void set(int fd, int size)
{
	assert_int_equal(
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)), 0);
	assert_int_equal(
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)), 0);
}

static int start(void **state)
{
	(void)state;
	kept_fd = memfd_create("kept", MFD_CLOEXEC);
	assert_true(kept_fd >= 0);
	assert_int_equal(write(kept_fd, "4096\n", 5), 5);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds + 2), 0);
	for (int i = 0; i < 4; i++)
		set(fds[i], FIRST);
	total = 16ul << 20;
	refused = written = false;
	return 0;
}

static int end(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		close(fds[i]);
	return close(kept_fd);
}

static unsigned long kept(void)
{
	char text[32] = "";

	assert_true(pread(kept_fd, text, sizeof(text) - 1, 0) > 0);
	return strtoul(text, NULL, 10);
}

static void without_swap_nothing_is_touched(void **state)
{
	const struct backend b = { .connections = 4 };
	int before = get(fds[0], SO_RCVBUF);

	(void)state;
	device_swap_prepare(&b, fds, 4);
	assert_int_equal(get(fds[0], SO_RCVBUF), before);
	assert_int_equal(kept(), 4096);
	assert_false(written);
}

static void both_buffers_of_every_connection_are_set(void **state)
{
	const struct backend b = { .connections = 3, .swap = true };
	int before = get(fds[3], SO_RCVBUF), sent, taken;

	(void)state;
	/* what the kernel makes of that number here */
	set(fds[0], 256 * 1024);
	sent = get(fds[0], SO_SNDBUF);
	taken = get(fds[0], SO_RCVBUF);
	set(fds[0], FIRST);
	device_swap_prepare(&b, fds, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(get(fds[i], SO_SNDBUF), sent);
		assert_int_equal(get(fds[i], SO_RCVBUF), taken);
	}
	assert_int_equal(get(fds[3], SO_RCVBUF), before);
}

static void memory_is_kept_for_all_connections_that_may_come(void **state)
{
	struct backend b = { .connections = 4, .swap = true };

	(void)state;
	device_swap_prepare(&b, NULL, 0);
	assert_int_equal(kept(), 8192 + 4 * 1024);
	b.slots = 16;
	device_swap_prepare(&b, NULL, 0);
	assert_int_equal(kept(), 8192 + 16 * 1024);
}

static void but_no_more_than_a_sixteenth_of_it(void **state)
{
	const struct backend b = { .connections = 16, .swap = true };

	(void)state;
	total = 256ul << 10;
	device_swap_prepare(&b, NULL, 0);
	assert_int_equal(kept(), 16 << 10);
}

static void what_is_kept_already_is_not_lowered(void **state)
{
	const struct backend b = { .connections = 1, .swap = true };

	(void)state;
	assert_int_equal(pwrite(kept_fd, "67584\n", 6, 0), 6);
	device_swap_prepare(&b, NULL, 0);
	assert_int_equal(kept(), 67584);
	assert_false(written);
	/* nor is the same written again */
	assert_int_equal(pwrite(kept_fd, "09216\n", 6, 0), 6);
	device_swap_prepare(&b, NULL, 0);
	assert_false(written);
}

static void without_privilege_the_buffers_are_still_set(void **state)
{
	const struct backend b = { .connections = 1, .swap = true };
	int before = get(fds[0], SO_SNDBUF);

	(void)state;
	refused = true;
	device_swap_prepare(&b, fds, 1);
	assert_true(written);
	assert_true(get(fds[0], SO_SNDBUF) > before);
	assert_int_equal(kept(), 4096);
}

#define KERNEL(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		KERNEL(without_swap_nothing_is_touched),
		KERNEL(both_buffers_of_every_connection_are_set),
		KERNEL(memory_is_kept_for_all_connections_that_may_come),
		KERNEL(but_no_more_than_a_sixteenth_of_it),
		KERNEL(what_is_kept_already_is_not_lowered),
		KERNEL(without_privilege_the_buffers_are_still_set),
	};

	return cmocka_run_group_tests_name("swap", tests, NULL, NULL);
}
