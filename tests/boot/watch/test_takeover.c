/* SPDX-License-Identifier: BSD-2-Clause */
/* One watcher for a device: one process holds its lock, another takes it over. */
#include "boot/watch/watch.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/open.h"
#include "tests/world/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct nbd_diag diag;
static int ready[2]; /* children write when they hold the lock */
static pid_t child;

/* ---- time: a test does not wait for seconds ---- */

/* What a wait turns into; NULL: itself. */
static int (*waiting)(nfds_t n, int ms);
static unsigned waits;

static int played_wait(struct pollfd p[], nfds_t n, int ms)
{
	waits++;
	return waiting && waiting(n, ms) ? 0 : world_real_poll(p, n, ms);
}

/* ---- processes ---- */

#define INDEX 3

/* In place of /run. */
static char root[40];

static void report(void)
{
	if (write(ready[1], "", 1) != 1)
		_exit(9);
}

/* A child that does this, and its word that it is so far. */
static void start(void (*what)(void))
{
	char c;

	child = fork();
	assert_true(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		what();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
}

static void hold(void)
{
	if (watch_takeover(INDEX, &diag) < 0)
		_exit(8);
	report();
	for (;;)
		pause();
}

/* How the child ended: by SIGTERM, and now. */
static void assert_ended(void)
{
	int s;

	assert_int_equal(waitpid(child, &s, 0), child);
	assert_true(WIFSIGNALED(s));
	assert_int_equal(WTERMSIG(s), SIGTERM);
	child = 0;
}

static void assert_lives(void)
{
	assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
}

static int begin(void **state)
{
	(void)state;
	strcpy(root, "/tmp/test_takeover.XXXXXX");
	if (!mkdtemp(root) || chmod(root, 0755))
		return -1;
	child = 0;
	waiting = NULL;
	waits = 0;
	world = (struct world){ .real = true,
				.wait = played_wait,
				.others = WORLD_REAL,
				.run = root };
	memset(&diag, 0, sizeof(diag));
	return pipe(ready);
}

static int end(void **state)
{
	char cmd[60];

	(void)state;
	if (child) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	close(ready[0]);
	close(ready[1]);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", root);
	return system(cmd);
}

/* A process cannot ask for its own lock: a child of it does. */
static void assert_holds(pid_t pid)
{
	pid_t asks = fork();
	int s;

	if (!asks)
		_exit(watch_takeover_holder(INDEX) != pid);
	assert_int_equal(waitpid(asks, &s, 0), asks);
	assert_int_equal(s, 0);
}

/* ---- the tests ---- */

static void a_lock_is_held_until_its_process_ends(void **state)
{
	(void)state;
	assert_int_equal(watch_takeover_holder(INDEX), 0);
	start(hold);
	assert_int_equal(watch_takeover_holder(INDEX), child);
	assert_int_equal(watch_takeover_holder(INDEX + 1), 0);
	assert_int_equal(watch_takeover_holder(WATCH_ALL), 0);
	kill(child, SIGTERM);
	assert_ended();
	assert_int_equal(watch_takeover_holder(INDEX), 0);
	assert_int_equal(waits, 0);
}

static void a_second_process_takes_over(void **state)
{
	int fd;

	(void)state;
	start(hold);
	assert_int_equal(watch_takeover_holder(INDEX), child);
	assert_lives();
	fd = watch_takeover(INDEX, &diag);
	assert_true(fd >= 0);
	assert_ended();
	/* and has it, so that the next one can */
	assert_holds(getpid());
	close(fd);
	assert_holds(0);
}

static void hold_with_what_is_inherited(void)
{
	sigset_t all;

	signal(SIGTERM, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	hold();
}

/* As after trap '' TERM in a shell, or from a program that blocks signals. */
static void it_ends_whatever_started_it_did_with_signals(void **state)
{
	int fd;

	(void)state;
	start(hold_with_what_is_inherited);
	fd = watch_takeover(INDEX, &diag);
	assert_true(fd >= 0);
	assert_ended();
	close(fd);
}

static void looking_for_the_holder_changes_nothing(void **state)
{
	int fd;

	(void)state;
	start(hold);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(watch_takeover_holder(INDEX), child);
	assert_lives();
	fd = watch_takeover(INDEX, &diag);
	assert_true(fd >= 0);
	assert_ended();
	close(fd);
}

/* Names in the abstract namespace are there for any user. */
static void a_squatted_name_keeps_nobody_out(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int n = snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1,
			 "nbdboot/watch/nbd%d", INDEX);
	int s = socket(AF_UNIX, SOCK_STREAM, 0), fd;

	(void)state;
	bind(s, (struct sockaddr *)&a,
	     (socklen_t)offsetof(struct sockaddr_un, sun_path) + 1 +
		     (socklen_t)n);
	fd = watch_takeover(INDEX, &diag);
	assert_true(fd >= 0);
	assert_int_equal(waits, 0);
	close(fd);
	close(s);
}

static void squat(void)
{
	if (flock(open("/run/nbdboot/nbd3.watch", O_RDWR), LOCK_EX))
		_exit(8);
	report();
	pause();
}

static int soon_over(nfds_t n, int ms)
{
	(void)ms;
	return n == 0;
}

/* As it is while its owner has not locked it by fcntl(2) yet, or in a container. */
static void a_lock_without_an_owner_is_waited_for_so_long(void **state)
{
	int fd = watch_takeover(INDEX, &diag);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	start(squat);
	assert_int_equal(watch_takeover_holder(INDEX), 0);
	waiting = soon_over;
	assert_int_equal(watch_takeover(INDEX, &diag), NBD_E_IN_USE);
	assert_non_null(strstr(diag.text, "not visible here"));
	assert_in_range(waits, 100, 1000);
	assert_lives();
}

static void hold_on(void)
{
	if (watch_takeover(INDEX, &diag) < 0)
		_exit(8);
	signal(SIGTERM, SIG_IGN);
	report();
	for (;;)
		pause();
}

static void a_watcher_that_does_not_end_is_reported(void **state)
{
	char text[60];
	int fds;

	(void)state;
	start(hold_on);
	waiting = soon_over;
	assert_int_equal(watch_takeover(INDEX, &diag), NBD_E_IN_USE);
	snprintf(text, sizeof(text), "process %d watches nbd3", (int)child);
	assert_non_null(strstr(diag.text, text));
	assert_lives();
	/* the next descriptor is the one that this one had */
	fds = dup(0);
	assert_in_range(fds, 3, ready[1] + 1);
	close(fds);
}

static void try_as_nobody(void)
{
	if (setgid(65534) || setuid(65534))
		_exit(7);
	if (watch_takeover(INDEX, &diag) != NBD_E_PERM)
		_exit(6);
	/* nor can a process lock it that cannot write to it */
	if (open("/run/nbdboot/nbd3.watch", O_RDONLY) >= 0)
		_exit(5);
	report();
	pause();
}

static void another_user_cannot_hold_it(void **state)
{
	int fd = watch_takeover(INDEX, &diag);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	if (geteuid()) {
		print_message("# skipped: only root can become another user\n");
		skip();
	}
	start(try_as_nobody);
	fd = watch_takeover(INDEX, &diag);
	assert_true(fd >= 0);
	assert_int_equal(waits, 0);
	assert_lives();
	close(fd);
}

/* ---- a process that has some of its own ---- */

static int release[2];

static void hold_with_a_child(void)
{
	char c;

	if (watch_takeover(INDEX, &diag) < 0)
		_exit(8);
	close(release[1]);
	if (fork()) {
		report();
		for (;;)
			pause();
	}
	/* the child has inherited the lock, and stays on for a while */
	if (read(release[0], &c, 1))
		_exit(7);
	_exit(0);
}

static int let_the_child_go(nfds_t n, int ms)
{
	siginfo_t i;

	(void)n, (void)ms;
	if (waits > 1)
		return false;
	/* its parent has ended, and that is not enough */
	assert_int_equal(waitid(P_PID, (id_t)child, &i, WEXITED | WNOWAIT), 0);
	assert_int_equal(
		flock(open("/run/nbdboot/nbd3.watch", O_RDWR | O_CLOEXEC),
		      LOCK_EX | LOCK_NB),
		-1);
	close(release[1]);
	return false;
}

static void those_that_it_started_are_waited_for(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(pipe(release), 0);
	start(hold_with_a_child);
	close(release[0]);
	waiting = let_the_child_go;
	fd = watch_takeover(INDEX, &diag);
	assert_true(fd >= 0);
	assert_true(waits > 0);
	assert_ended();
	close(fd);
}

#define HOLD(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOLD(a_lock_is_held_until_its_process_ends),
		HOLD(a_second_process_takes_over),
		HOLD(it_ends_whatever_started_it_did_with_signals),
		HOLD(looking_for_the_holder_changes_nothing),
		HOLD(a_squatted_name_keeps_nobody_out),
		HOLD(a_lock_without_an_owner_is_waited_for_so_long),
		HOLD(a_watcher_that_does_not_end_is_reported),
		HOLD(another_user_cannot_hold_it),
		HOLD(those_that_it_started_are_waited_for),
	};

	return cmocka_run_group_tests_name("takeover", tests, NULL, NULL);
}
