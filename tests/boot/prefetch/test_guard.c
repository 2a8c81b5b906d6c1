/* SPDX-License-Identifier: BSD-2-Clause */
/* One of two processes is killed: the other one does what is left. */
#include "boot/prefetch/guard.h"
#include "tests/unit.h"
#include "tests/world/say.h"
#include "tests/world/harden.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int done; /* the end of a pipe, where what is done is written */

static void note(char c)
{
	assert_int_equal(write(done, &c, 1), 1);
}

static void part(void *ctx)
{
	(void)ctx;
	note('p');
}

static void mend(void *ctx)
{
	note(*(const char *)ctx);
}

enum end { GOOD, KILLED, GUARD_KILLED, NEITHER };

/* A process with a guard ends so. */
static void end(enum end how)
{
	char letter = 'm';
	const struct prefetch_guarded of = { part, mend, &letter };
	struct prefetch_guard g;

	prefetch_guard_begin(&g, &of);
	if (how == KILLED)
		kill(getpid(), SIGKILL);
	if (how == GUARD_KILLED) {
		/* not reaped: that is for the end */
		kill(g.pid, SIGKILL);
		waitid(P_PID, (id_t)g.pid, &(siginfo_t){ 0 },
		       WEXITED | WNOWAIT);
	}
	if (how != NEITHER)
		prefetch_guard_end(&g);
	note('e');
	_exit(0);
}

/* What was done, when both have ended. */
static const char *after(enum end how)
{
	static char text[8];
	size_t len = 0;
	ssize_t n;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	done = ends[1];
	pid = fork();
	if (!pid)
		end(how);
	close(ends[1]);
	while ((n = read(ends[0], text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	close(ends[0]);
	text[len] = '\0';
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return text;
}

static void a_good_end_leaves_nothing_to_the_guard(void **state)
{
	(void)state;
	assert_string_equal(after(GOOD), "pe");
}

static void the_guard_mends_after_a_kill(void **state)
{
	(void)state;
	assert_string_equal(after(KILLED), "pm");
}

static void the_guard_mends_after_an_end_that_is_not_good(void **state)
{
	const char *text = after(NEITHER);

	(void)state;
	assert_int_equal(strlen(text), 3);
	assert_non_null(strchr(text, 'm'));
}

static void without_its_guard_the_process_goes_on(void **state)
{
	const char *text = after(GUARD_KILLED);

	(void)state;
	assert_null(strchr(text, 'm'));
	assert_non_null(strchr(text, 'e'));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_end_leaves_nothing_to_the_guard),
		cmocka_unit_test(the_guard_mends_after_a_kill),
		cmocka_unit_test(the_guard_mends_after_an_end_that_is_not_good),
		cmocka_unit_test(without_its_guard_the_process_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
