/* SPDX-License-Identifier: BSD-2-Clause */
/* Pipes at both ends of a copy, and a name that leads nowhere. */
#include "boot/copy/copy.h"

#include "tests/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static struct nbd_diag d;

/* Until the parent sleeps, which has found nothing to do. */
static void await_parent(void)
{
	char name[32], text[256];
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/stat", getppid());
	do {
		fd = open(name, O_RDONLY | O_CLOEXEC);
		n = read(fd, text, sizeof(text) - 1);
		text[n > 0 ? n : 0] = '\0';
		close(fd);
	} while (n > 0 && !strstr(text, ") S "));
}

static void child(int fd, bool writes)
{
	char byte = 'x';

	await_parent();
	while (writes ? write(fd, &byte, 1) < 0 : read(fd, &byte, 1) > 0)
		;
	_exit(0);
}

static void one_that_does_not_block_is_waited_for(void **state)
{
	static char data[256 << 10]; /* more than a pipe holds */
	struct task t = { .len = 1, .iov = { data, 1 } };
	struct side s = { .fd = -1 };
	int fds[2], status;

	(void)state;
	assert_int_equal(copy_side_open_file(&s, "-", false, &d), 0);
	assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	s.fd = fds[0];
	if (fork() == 0)
		child(fds[1], true);
	assert_int_equal(s.ops->read(&s, &t, &t.iov, &d), 0);
	assert_int_equal(t.len, 1);
	assert_int_equal(data[0], 'x');
	wait(&status);
	/* the reader takes all and ends with the pipe */
	fcntl(fds[0], F_SETFL, 0);
	if (fork() == 0) {
		close(fds[1]);
		child(fds[0], false);
	}
	close(fds[0]);
	s.fd = fds[1];
	t.len = sizeof(data);
	assert_int_equal(s.ops->write(&s, &t, &d), 0);
	close(fds[1]);
	wait(&status);
}

static void one_that_stays_full_is_left_after_a_signal(void **state)
{
	static char data[256 << 10];
	struct task t = { .len = sizeof(data), .iov = { data, sizeof(data) } };
	struct side s = { .fd = -1 };
	int fds[2];

	(void)state;
	assert_int_equal(copy_side_open_file(&s, "-", true, &d), 0);
	assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	s.fd = fds[1];
	copy_interrupted = 1;
	assert_int_equal(s.ops->write(&s, &t, &d), NBD_E_CUT);
	/* that is not the reason for another error */
	close(fds[0]);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(s.ops->write(&s, &t, &d), NBD_E_IO);
	copy_interrupted = 0;
	close(fds[1]);
}

/* SIGINT while it waits for the other end of a pipe, which nobody opens. */
static void interrupt_parent(void)
{
	if (fork())
		return;
	await_parent();
	kill(getppid(), SIGINT);
	_exit(0);
}

static void expect_interrupted(int rc, const char *name)
{
	const struct itimerval never = { .it_value = { 0, 0 } };

	setitimer(ITIMER_REAL, &never, NULL);
	copy_interrupted = 0;
	wait(NULL);
	assert_int_equal(rc, NBD_E_INTERRUPTED);
	assert_non_null(strstr(d.text, "interrupted: "));
	assert_non_null(strstr(d.text, name));
}

static void one_that_nobody_opens_is_left_after_a_signal(void **state)
{
	char dir[] = "/tmp/pipe.XXXXXX", name[sizeof(dir) + 5];
	struct side s;

	(void)state;
	copy_catch_signals();
	assert_non_null(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/pipe", dir);
	assert_int_equal(mkfifo(name, 0600), 0);
	interrupt_parent();
	expect_interrupted(copy_side_open_file(&s, name, false, &d), name);
	assert_int_equal(copy_side_open_file(&s, name, true, &d), 0);
	interrupt_parent();
	expect_interrupted(copy_side_open_pipe(&s, &d), name);
	s.ops->close(&s);
	unlink(name);
	rmdir(dir);
}

static bool has_writer(int fd)
{
	char byte;

	return read(fd, &byte, 1) < 0 && errno == EAGAIN;
}

static void one_with_a_name_is_opened_to_write_only(void **state)
{
	char dir[] = "/tmp/pipe.XXXXXX", name[sizeof(dir) + 5];
	struct task t = { .len = 1, .iov = { "x", 1 } };
	struct side s, same;
	char byte = 0;
	int fd;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_non_null(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/pipe", dir);
	assert_int_equal(mkfifo(name, 0600), 0);
	/* nobody reads it yet */
	assert_int_equal(copy_side_open_file(&s, name, true, &d), 0);
	assert_true(s.is_pipe);
	fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_false(has_writer(fd));
	assert_int_equal(copy_side_open_pipe(&s, &d), 0);
	assert_true(has_writer(fd));
	assert_int_equal(s.ops->write(&s, &t, &d), 0);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(byte, 'x');
	assert_int_equal(copy_side_open_file(&same, name, false, &d), 0);
	assert_true(copy_side_overlap(&same, &s));
	same.ops->close(&same);
	close(fd);
	assert_true(s.ops->write(&s, &t, &d) < 0);
	assert_non_null(strstr(d.text, "Broken pipe"));
	assert_non_null(strstr(d.text, name));
	s.ops->close(&s);
	unlink(name);
	rmdir(dir);
}

/* A disk that is missing would be one of RAM, and the copy to it a success. */
static void a_missing_device_is_not_made_a_file(void **state)
{
	static const char name[] = "/dev/nbdboot-test.none";
	struct stat dev, root;
	struct side s;

	(void)state;
	if (stat("/dev", &dev) || stat("/", &root) ||
	    dev.st_dev == root.st_dev || geteuid())
		skip();
	assert_int_equal(copy_side_open_file(&s, name, true, &d),
			 NBD_E_NOT_FOUND);
	assert_string_equal(d.text,
			    "there is no device /dev/nbdboot-test.none");
	assert_int_equal(access(name, F_OK), -1);
	assert_int_equal(access("/dev/nbdboot-test.none" COPY_PART, F_OK), -1);
}

/* "$DISK" of a script that has not set it. */
static void without_a_name_no_file_is_made(void **state)
{
	struct side s;

	(void)state;
	assert_int_equal(copy_side_open_file(&s, "", true, &d),
			 NBD_E_NOT_FOUND);
	assert_non_null(strstr(d.text, "No such file"));
	assert_int_equal(access(COPY_PART, F_OK), -1);
}

/* To make the target would hide a name that is wrong, as of a device. */
static void a_link_to_nothing_is_named_as_one(void **state)
{
	char dir[] = "/tmp/pipe.XXXXXX", name[sizeof(dir) + 5];
	struct side s;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/link", dir);
	assert_int_equal(symlink("none", name), 0);
	assert_int_equal(copy_side_open_file(&s, name, true, &d),
			 NBD_E_NOT_FOUND);
	assert_non_null(strstr(d.text, "/link is a link to what is not there"));
	assert_int_equal(copy_side_open_file(&s, name, false, &d),
			 NBD_E_NOT_FOUND);
	unlink(name);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_does_not_block_is_waited_for),
		cmocka_unit_test(one_that_stays_full_is_left_after_a_signal),
		cmocka_unit_test(one_that_nobody_opens_is_left_after_a_signal),
		cmocka_unit_test(one_with_a_name_is_opened_to_write_only),
		cmocka_unit_test(a_link_to_nothing_is_named_as_one),
		cmocka_unit_test(without_a_name_no_file_is_made),
		cmocka_unit_test(a_missing_device_is_not_made_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
