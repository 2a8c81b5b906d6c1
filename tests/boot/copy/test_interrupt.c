/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGINT ends a copy, even one that is stuck where nobody looks. */
#include "boot/copy/copy.h"
#include "tests/unit.h"

#include <signal.h>
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

static void a_copy_that_looks_ends_by_itself(void **state)
{
	char text[100];
	pid_t pid;
	int from;

	(void)state;
	pid = child(&from, look);
	assert_int_equal(result(pid, from, text, sizeof(text)), 7);
	assert_string_equal(text, "");
	pid = child(&from, be_late);
	assert_int_equal(result(pid, from, text, sizeof(text)), 7);
	assert_string_equal(text, "");
}

static void a_copy_that_is_stuck_is_ended(void **state)
{
	char text[100];
	pid_t pid;
	int from;

	(void)state;
	pid = child(&from, be_stuck);
	assert_int_equal(result(pid, from, text, sizeof(text)), 1);
	assert_string_equal(text, "nbdboot: copy: interrupted\n");
	/* within a second of the signal */
	assert_true((COPY_LEAVE + 1) * COPY_TICK_MS < 1000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_that_looks_ends_by_itself),
		cmocka_unit_test(a_copy_that_is_stuck_is_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
