/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors that a program relies on, and files that somebody names. */
#include "port/posix/open.h"
#include "tests/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static bool no_dev;	    /* there is no /dev, as in an initramfs */
static int opened;	    /* the flags of the last open(), or 0 */
static const char *instead; /* what the path has become just before it */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list ap;
	unsigned mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, unsigned) : 0;
	va_end(ap);
	opened = flags;
	if (instead)
		path = instead;
	if (no_dev && !strncmp(path, "/dev/", 5)) {
		errno = ENOENT;
		return -1;
	}
	return __real_open(path, flags, mode);
}

/* Taken, but as if it were closed: no read or write works. */
static bool is_taken(int fd)
{
	char byte = 0;

	return fcntl(fd, F_GETFD) == 0 &&
	       (fd ? write(fd, &byte, 1) : read(fd, &byte, 1)) < 0 &&
	       errno == EBADF;
}

/* In a child, which has no standard error to report on. */
static bool works(unsigned closed)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		bool good = true;

		for (int fd = 0; fd < 3; fd++)
			if (closed >> fd & 1)
				close(fd);
		open_standard();
		for (int fd = 0; fd < 3; fd++)
			if (closed >> fd & 1)
				good &= is_taken(fd);
			else
				good &= fcntl(fd, F_GETFD) == 0;
		good &= fcntl(3, F_GETFD) < 0;
		_exit(!good);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static void closed_ones_are_taken(void **state)
{
	(void)state;
	close(3);
	for (unsigned closed = 0; closed < 8; closed++)
		assert_true(works(closed));
}

static void also_before_there_is_a_dev(void **state)
{
	(void)state;
	no_dev = true;
	for (unsigned closed = 0; closed < 8; closed++)
		assert_true(works(closed));
	no_dev = false;
}

static const char *refuse(const char *path)
{
	const char *why = "";
	struct stat st;

	opened = 0;
	assert_int_equal(open_plain(path, &st, &why), -1);
	return why;
}

/* The open of a watchdog would start it, and that of a FIFO would wait. */
static void only_a_regular_file_is_opened(void **state)
{
	static const char *const paths[] = { "/dev/null", "/dev", "fifo" };
	const char *why;
	struct stat st;
	int fd;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(paths); i++) {
		assert_string_equal(refuse(paths[i]), "not a regular file");
		assert_int_equal(opened, 0);
	}
	assert_string_equal(refuse("none"), strerror(ENOENT));
	fd = open_plain("/proc/self/exe", &st, &why);
	assert_true(fd >= 0);
	assert_true(st.st_size > 0);
	/* where a read may wait it must not: /proc/kmsg is a regular file */
	assert_int_equal(opened, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	close(fd);
}

static int next_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/* /dev/null stands for a device that is in the file's place by now. */
static void what_a_file_has_become_is_refused_and_closed(void **state)
{
	int next = next_fd();

	(void)state;
	instead = "/dev/null";
	assert_string_equal(refuse("/proc/self/exe"), "not a regular file");
	assert_int_not_equal(opened, 0);
	instead = NULL;
	assert_int_equal(next_fd(), next);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_ones_are_taken),
		cmocka_unit_test(also_before_there_is_a_dev),
		cmocka_unit_test(only_a_regular_file_is_opened),
		cmocka_unit_test(what_a_file_has_become_is_refused_and_closed),
	};
	char dir[] = "/tmp/nbdboot-open-XXXXXX";
	int rc;

	if (!mkdtemp(dir) || chdir(dir) || mkfifo("fifo", 0600))
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink("fifo");
	rmdir(dir);
	return rc;
}
