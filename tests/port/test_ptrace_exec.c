/* SPDX-License-Identifier: BSD-2-Clause */
/* A process executes another program, or goes on as if nothing was. */
#include "port/linux/ptrace_exec.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit.h"

#define MS	 10000
/* What a child ends with that was not replaced. */
#define ITS_OWN	 42
#define REPLACED 7

static struct nbd_diag d;
/* The child writes to the first when it is ready, and reads the second. */
static int ready[2], go[2];
static pid_t child;
static volatile sig_atomic_t signals;

static void on_signal(int signal)
{
	(void)signal;
	signals++;
}

static _Noreturn void end(bool right)
{
	_exit(right ? ITS_OWN : 1);
}

/* ---- what a child does ---- */

static void reads(void)
{
	char c;

	end(read(go[0], &c, 1) == 1 && c == 'g');
}

/* Its call is restarted by another one of the kernel. */
static void polls(void)
{
	struct pollfd p = { .fd = go[0], .events = POLLIN };

	end(poll(&p, 1, 60000) == 1);
}

static void waits_for_a_signal(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigsuspend(&none);
	end(signals == 1);
}

static void calls_all_the_time(void)
{
	struct pollfd p = { .fd = go[0], .events = POLLIN };

	while (!poll(&p, 1, 0))
		;
	end(true);
}

static void never_calls(void)
{
	for (volatile unsigned i = 0;; i++)
		;
}

static void start(void (*work)(void))
{
	char c = 'r';
	sigset_t set;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGUSR1, on_signal);
		if (write(ready[1], &c, 1) == 1)
			work();
		_exit(1);
	}
	assert_true(child > 0);
	assert_int_equal(read(ready[0], &c, 1), 1);
}

/* How the child ends. */
static int status(void)
{
	int st;

	assert_int_equal(waitpid(child, &st, 0), child);
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(go[i]);
	}
	return WIFEXITED(st) ? WEXITSTATUS(st) : -WTERMSIG(st);
}

/* ---- the tests ---- */

static void (*const works[])(void) = { reads, polls, waits_for_a_signal,
				       calls_all_the_time };
#define N_WORKS (sizeof(works) / sizeof(works[0]))

/* A shell script, so that its operand counts. */
static char script[] = "/tmp/nbdboot-ptrace-XXXXXX";

static void it_executes_the_program(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_WORKS; i++) {
		start(works[i]);
		assert_int_equal(ptrace_exec(child, script, "7", MS, &d), 0);
		assert_int_equal(status(), REPLACED);
	}
}

static void without_a_program_it_goes_on(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_WORKS; i++) {
		start(works[i]);
		assert_int_equal(ptrace_exec(child, "/nowhere/x", "7", MS, &d),
				 NBD_E_KERNEL);
		assert_non_null(strstr(d.text, "/nowhere/x"));
		/* and once more: nothing of the first try is left */
		assert_int_equal(ptrace_exec(child, "/nowhere/y", "7", MS, &d),
				 NBD_E_KERNEL);
		kill(child, SIGUSR1);
		assert_int_equal(write(go[1], "g", 1), 1);
		assert_int_equal(status(), ITS_OWN);
	}
}

static void it_gets_the_signals_that_came_meanwhile(void **state)
{
	(void)state;
	start(waits_for_a_signal);
	kill(child, SIGUSR1);
	/* before its handler has run, or after: it has ended itself then */
	ptrace_exec(child, "/nowhere/x", "7", MS, &d);
	assert_int_equal(status(), ITS_OWN);
}

static void a_process_that_makes_no_call_is_given_up(void **state)
{
	(void)state;
	start(never_calls);
	assert_int_equal(ptrace_exec(child, script, "7", 50, &d),
			 NBD_E_TIMEOUT);
	kill(child, SIGKILL);
	assert_int_equal(status(), -SIGKILL);
}

static void a_process_that_cannot_be_traced_is_refused(void **state)
{
	(void)state;
	start(reads);
	/* its only tracer is another one */
	assert_int_equal(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
	assert_int_equal(ptrace_exec(child, script, "7", MS, &d), NBD_E_PERM);
	assert_non_null(strstr(d.text, "trace process"));
	kill(child, SIGKILL);
	assert_int_equal(status(), -SIGKILL);
	assert_int_equal(ptrace_exec(child, script, "7", MS, &d), NBD_E_PERM);
}

static void strings_that_are_too_long_are_refused(void **state)
{
	char path[256];

	(void)state;
	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	start(reads);
	assert_int_equal(ptrace_exec(child, path, "7", MS, &d), NBD_E_USAGE);
	assert_int_equal(write(go[1], "g", 1), 1);
	assert_int_equal(status(), ITS_OWN);
}

static int write_script(void **state)
{
	static const char text[] = "#!/bin/sh\nexit $1\n";
	int fd = mkstemp(script);

	(void)state;
	if (fd < 0 || write(fd, text, sizeof(text) - 1) < 0 || fchmod(fd, 0755))
		return -1;
	return close(fd);
}

static int remove_script(void **state)
{
	(void)state;
	return unlink(script);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_executes_the_program),
		cmocka_unit_test(without_a_program_it_goes_on),
		cmocka_unit_test(it_gets_the_signals_that_came_meanwhile),
		cmocka_unit_test(a_process_that_makes_no_call_is_given_up),
		cmocka_unit_test(a_process_that_cannot_be_traced_is_refused),
		cmocka_unit_test(strings_that_are_too_long_are_refused),
	};

	return cmocka_run_group_tests(tests, write_script, remove_script);
}
