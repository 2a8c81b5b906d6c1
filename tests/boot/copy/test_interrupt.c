/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGINT ends a copy, even one that is stuck where nobody looks. */
#include "boot/copy/copy.h"
#include "tests/unit.h"
#include "tests/world/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child reports what it sees through a pipe, which is also its fd 2. */
static pid_t child(int *from, void (*run)(void))
{
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(fds[1], 2);
		close(fds[0]);
		copy_catch_signals();
		raise(SIGINT);
		run();
		_exit(0);
	}
	close(fds[1]);
	*from = fds[0];
	return pid;
}

static int result(pid_t pid, int from, char *text, size_t cap)
{
	size_t at = 0;
	ssize_t n;
	int status;

	while ((n = read(from, text + at, cap - 1 - at)) > 0)
		at += (size_t)n;
	text[at] = '\0';
	close(from);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* A machine that is busy: each reading of the clock is so much later, in ms. */
static void be_stuck(void)
{
	for (;;)
		pause();
}

static void look(void)
{
	if (copy_interrupted)
		_exit(7);
}

static void be_late(void)
{
	/* a tick before the last */
	while (copy_interrupted < COPY_LEAVE)
		pause();
	_exit(7);
}

/* Says which stage it is, as often as that may have changed. */
static void say_stages(void)
{
	for (;;) {
		char c = copy_interrupted < COPY_ABANDON ? 'x'
			 : copy_interrupted < COPY_LEAVE ? 'y'
							 : 'z';

		assert_int_equal(write(2, &c, 1), 1);
		pause();
	}
}

/* A child that does work() is interrupted. */
static void assert_ends(void (*work)(void), int status, const char *said)
{
	char text[100];
	int from;
	pid_t pid = child(&from, work);

	assert_int_equal(result(pid, from, text, sizeof(text)), status);
	assert_string_equal(text, said);
}

static void a_copy_that_looks_ends_by_itself(void **state)
{
	(void)state;
	assert_ends(look, 7, "");
	assert_ends(be_late, 7, "");
}

static void a_copy_that_is_stuck_is_ended(void **state)
{
	(void)state;
	assert_ends(be_stuck, 1, "nbdboot: copy: interrupted\n");
	/* within a second of the signal */
	assert_true((COPY_LEAVE + 1) * COPY_TICK_MS < 1000);
}

static void a_busy_machine_delays_no_more_than_each_stage(void **state)
{
	char text[100], *c = text;
	int from;
	pid_t pid;

	(void)state;
	world.step = 5000;
	pid = child(&from, say_stages);
	assert_int_equal(result(pid, from, text, sizeof(text)), 1);
	world.step = 0;
	while (c[0] < c[1])
		c++;
	assert_string_equal(c + 1, "nbdboot: copy: interrupted\n");
}

/* ---- a disk that cannot make zeroes by itself, and is slow ---- */

static unsigned writes;

int __wrap_fallocate(int fd, int mode, off_t at, off_t len);
int __wrap_fallocate(int fd, int mode, off_t at, off_t len)
{
	(void)fd, (void)mode, (void)at, (void)len;
	errno = EOPNOTSUPP;
	return -1;
}

ssize_t __wrap_pwrite(int fd, const void *p, size_t len, off_t at);
ssize_t __wrap_pwrite(int fd, const void *p, size_t len, off_t at)
{
	(void)fd, (void)p, (void)at;
	writes++;
	copy_interrupted = 1;
	return (ssize_t)len;
}

static void many_zeroes_are_not_written_to_the_end(void **state)
{
	struct task t = { .zero = true, .len = COPY_ZEROES };
	char name[] = "/tmp/zeroes.XXXXXX";
	struct nbd_diag d;
	struct side s;

	(void)state;
	close(mkstemp(name));
	assert_int_equal(copy_side_open_file(&s, name, true, &d), 0);
	assert_int_equal(s.ops->zero(&s, &t, &d), NBD_E_CUT);
	assert_int_equal(writes, 1);
	copy_interrupted = 0;
	s.ops->close(&s);
	unlink(name);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_that_looks_ends_by_itself),
		cmocka_unit_test(a_copy_that_is_stuck_is_ended),
		cmocka_unit_test(a_busy_machine_delays_no_more_than_each_stage),
		cmocka_unit_test(many_zeroes_are_not_written_to_the_end),
	};

	world.real = true;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
