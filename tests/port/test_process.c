/* SPDX-License-Identifier: BSD-2-Clause */
/* Children with a deadline: results, those that hang, those that die. */
#include "port/linux/process.h"
#include "tests/unit.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct nbd_diag diag;

/* More than a pipe takes at once. */
struct data {
	int in, out;
	char more[100000];
};

static struct data data;

static int answer(void *p, struct nbd_diag *d)
{
	struct data *x = p;

	(void)d;
	x->out = x->in + 1;
	memset(x->more, 'm', sizeof(x->more));
	return NBD_OK;
}

static int refuse(void *p, struct nbd_diag *d)
{
	(void)p;
	return nbd_diag(d, NBD_E_MISMATCH, "it is %s", "wrong");
}

static int hang(void *p, struct nbd_diag *d)
{
	(void)p, (void)d;
	while (pause())
		;
	return NBD_OK;
}

static int die(void *p, struct nbd_diag *d)
{
	(void)p, (void)d;
	return raise(SIGKILL);
}

static int run(process_work *work, unsigned ms)
{
	memset(&diag, 0, sizeof(diag));
	data = (struct data){ .in = 4 };
	return process_run(work, &data, sizeof(data), "the test", ms, &diag);
}

static void a_result_and_the_data_come_back(void **state)
{
	(void)state;
	assert_int_equal(run(answer, 600000), NBD_OK);
	assert_int_equal(data.out, 5);
	assert_int_equal(data.more[sizeof(data.more) - 1], 'm');
	assert_string_equal(diag.text, "");
	/* it was reaped */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void so_does_a_failure_with_its_reason(void **state)
{
	(void)state;
	assert_int_equal(run(refuse, 600000), NBD_E_MISMATCH);
	assert_string_equal(diag.text, "it is wrong");
}

static void a_child_that_hangs_is_given_up_and_killed(void **state)
{
	int s;

	(void)state;
	assert_int_equal(run(hang, 1), NBD_E_TIMEOUT);
	assert_non_null(strstr(diag.text, "the test "));
	assert_int_equal(data.out, 0);
	/* if it died soon enough, it is reaped already */
	if (waitpid(-1, &s, 0) > 0)
		assert_true(WIFSIGNALED(s) && WTERMSIG(s) == SIGKILL);
	else
		assert_int_equal(errno, ECHILD);
}

static void a_child_that_dies_is_reported(void **state)
{
	(void)state;
	assert_int_equal(run(die, 600000), NBD_E_KERNEL);
	assert_non_null(strstr(diag.text, "the test "));
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static void nothing_has_to_come_back(void **state)
{
	(void)state;
	assert_int_equal(process_run(refuse, NULL, 0, "x", 600000, NULL),
			 NBD_E_MISMATCH);
	assert_int_equal(process_sync(600000, &diag), NBD_OK);
}

/* The result is asked for later, and waited for with other events. */
static void a_result_makes_its_descriptor_readable(void **state)
{
	struct process p;
	char c;

	(void)state;
	data = (struct data){ .in = 1 };
	assert_int_equal(process_start(&p, answer, &data, sizeof(int) * 2,
				       NULL),
			 NBD_OK);
	assert_int_equal(read(p.fd, &c, 0), 0);
	assert_int_equal(process_finish(&p, &data, sizeof(int) * 2, "x",
					nbd_now_ms() + 600000, &diag),
			 NBD_OK);
	assert_int_equal(data.out, 2);
}

static void a_child_is_awaited_for_so_long(void **state)
{
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (!pid)
		hang(NULL, NULL);
	assert_int_equal(process_await(pid, 1), NBD_E_TIMEOUT);
	kill(pid, SIGTERM);
	assert_int_equal(process_await(pid, 600000), SIGTERM);
	/* once more: there is no such child */
	assert_int_equal(process_await(pid, 600000), 0);
}

static void a_child_that_is_detached_keeps_no_output_open(void **state)
{
	int out[2];
	pid_t pid;
	char c;

	(void)state;
	assert_int_equal(pipe(out), 0);
	pid = process_fork();
	assert_true(pid >= 0);
	if (!pid) {
		for (int fd = 0; fd < 3; fd++)
			dup2(out[1], fd);
		close(out[1]);
		process_detach(true);
		hang(NULL, NULL);
	}
	close(out[1]);
	assert_int_equal(read(out[0], &c, 1), 0);
	close(out[0]);
	assert_int_equal(process_await(pid, 0), NBD_E_TIMEOUT);
	process_stop(&pid, SIGTERM);
}

/* ---- a parent that dies before its child has asked for the signal ---- */

static pid_t victim;

int __real_prctl(int option, unsigned long signal);
int __wrap_prctl(int option, unsigned long signal);
int __wrap_prctl(int option, unsigned long signal)
{
	if (victim && getpid() != victim) {
		kill(victim, SIGKILL);
		while (getppid() == victim)
			usleep(1000);
	}
	return __real_prctl(option, signal);
}

static void a_child_whose_parent_is_dead_already_ends(void **state)
{
	int out[2];
	pid_t parent;
	char c;

	(void)state;
	assert_int_equal(pipe(out), 0);
	parent = fork();
	assert_true(parent >= 0);
	if (!parent) {
		victim = getpid();
		if (!process_fork())
			_exit((int)write(out[1], "x", 1));
		hang(NULL, NULL);
	}
	close(out[1]);
	assert_int_equal(read(out[0], &c, 1), 0);
	close(out[0]);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_result_and_the_data_come_back),
		cmocka_unit_test(so_does_a_failure_with_its_reason),
		cmocka_unit_test(a_child_that_hangs_is_given_up_and_killed),
		cmocka_unit_test(a_child_that_dies_is_reported),
		cmocka_unit_test(nothing_has_to_come_back),
		cmocka_unit_test(a_result_makes_its_descriptor_readable),
		cmocka_unit_test(a_child_is_awaited_for_so_long),
		cmocka_unit_test(a_child_that_is_detached_keeps_no_output_open),
		cmocka_unit_test(a_child_whose_parent_is_dead_already_ends),
	};

	return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
