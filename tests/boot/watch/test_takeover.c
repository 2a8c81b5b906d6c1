/* SPDX-License-Identifier: BSD-2-Clause */
/* One watcher for a device: who holds the name, and who takes it over. */
#include "boot/watch/watch.h"
#include "tests/unit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct nbd_diag diag;
static int told[2]; /* children write when they hold the name */
static pid_t child;

/* ---- time: a test does not wait for seconds ---- */

int __real_poll(struct pollfd p[], nfds_t n, int ms);
int __wrap_poll(struct pollfd p[], nfds_t n, int ms);
/* What a wait turns into; NULL: itself. */
static int (*waiting)(nfds_t n, int ms);
static unsigned waits;

int __wrap_poll(struct pollfd p[], nfds_t n, int ms)
{
	waits++;
	return waiting && waiting(n, ms) ? 0 : __real_poll(p, n, ms);
}

/* ---- processes ---- */

/* No device has such a number, nor has a test that runs at the same time. */
static int own_index(void)
{
	static pid_t pid;

	/* of the first process */
	pid = pid ? pid : getpid();
	return 0x40000000 | pid;
}

static int open_name(struct sockaddr_un *a)
{
	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	return (int)offsetof(struct sockaddr_un, sun_path) + 1 +
	       snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1,
			"nbdboot/watch/nbd%d", own_index());
}

static void tell(void)
{
	if (write(told[1], "", 1) != 1)
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
	assert_int_equal(read(told[0], &c, 1), 1);
}

static void hold(void)
{
	int fd = watch_takeover(own_index(), &diag);

	if (fd < 0)
		_exit(8);
	tell();
	for (;;) {
		struct pollfd p = { fd, POLLIN, 0 };

		__real_poll(&p, 1, -1);
		watch_takeover_answer(fd);
	}
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
	own_index();
	child = 0;
	waiting = NULL;
	waits = 0;
	memset(&diag, 0, sizeof(diag));
	return pipe(told);
}

static int end(void **state)
{
	(void)state;
	if (child) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	close(told[0]);
	return close(told[1]);
}

/* ---- the tests ---- */

static void a_name_is_held_until_its_process_lets_go(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(watch_takeover_holder(own_index()), 0);
	fd = watch_takeover(own_index(), &diag);
	assert_true(fd >= 0);
	assert_true(watch_takeover_holder(own_index()));
	assert_int_equal(watch_takeover_holder(own_index() ^ 1), 0);
	close(fd);
	assert_int_equal(watch_takeover_holder(own_index()), 0);
	assert_int_equal(waits, 0);
}

static void a_second_process_takes_over(void **state)
{
	int fd;

	(void)state;
	start(hold);
	assert_int_equal(watch_takeover_holder(own_index()), child);
	assert_lives();
	fd = watch_takeover(own_index(), &diag);
	assert_true(fd >= 0);
	assert_ended();
	/* and has it, so that the next one can */
	assert_true(watch_takeover_holder(own_index()));
	close(fd);
}

/* However often somebody asks who it is. */
static void calls_do_not_use_up_the_room_for_calls(void **state)
{
	int fd;

	(void)state;
	start(hold);
	for (unsigned i = 0; i < 100; i++)
		while (!watch_takeover_holder(own_index()))
			assert_lives();
	fd = watch_takeover(own_index(), &diag);
	assert_true(fd >= 0);
	assert_ended();
	close(fd);
}

/* What any user may do to somebody who does not look just then. */
static void a_queue_that_is_full_keeps_nobody_out(void **state)
{
	struct sockaddr_un a;
	socklen_t len = (socklen_t)open_name(&a);
	int fds[64], n = 0, fd;

	(void)state;
	start(hold);
	assert_int_equal(kill(child, SIGSTOP), 0);
	assert_int_equal(waitpid(child, NULL, WUNTRACED), child);
	do {
		assert_true(n < 64);
		fds[n] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	} while (!connect(fds[n++], (struct sockaddr *)&a, len));
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(kill(child, SIGCONT), 0);
	fd = watch_takeover(own_index(), &diag);
	assert_true(fd >= 0);
	assert_ended();
	close(fd);
	while (n > 0)
		close(fds[--n]);
}

static void hold_without_a_word(void)
{
	struct sockaddr_un a;
	socklen_t len = (socklen_t)open_name(&a);
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	if (bind(s, (struct sockaddr *)&a, len))
		_exit(8);
	tell();
	pause();
}

static int soon_over(nfds_t n, int ms)
{
	(void)ms;
	return n == 0;
}

static void who_has_the_name_and_does_not_listen_is_not_waited_for(void **state)
{
	(void)state;
	start(hold_without_a_word);
	assert_int_equal(watch_takeover_holder(own_index()), 0);
	waiting = soon_over;
	assert_int_equal(watch_takeover(own_index(), &diag), NBD_E_IN_USE);
	assert_non_null(strstr(diag.text, "does not answer"));
	assert_in_range(waits, 100, 1000);
	assert_lives();
}

static void hold_on(void)
{
	signal(SIGTERM, SIG_IGN);
	hold();
}

static int ten_seconds_over(nfds_t n, int ms)
{
	return n == 1 && ms == 10000;
}

static void who_does_not_end_is_told(void **state)
{
	char text[60];
	int fds;

	(void)state;
	start(hold_on);
	waiting = ten_seconds_over;
	assert_int_equal(watch_takeover(own_index(), &diag), NBD_E_IN_USE);
	snprintf(text, sizeof(text), "process %d of user %d watches",
		 (int)child, (int)geteuid());
	assert_non_null(strstr(diag.text, text));
	assert_lives();
	/* the next descriptor is the one that this one had */
	fds = dup(0);
	assert_in_range(fds, 3, told[1] + 1);
	close(fds);
}

static void hold_as_nobody(void)
{
	if (setgid(65534) || setuid(65534))
		_exit(7);
	hold();
}

static void another_users_process_is_left_alone(void **state)
{
	(void)state;
	if (geteuid()) {
		print_message("# skipped: only root can become another user\n");
		skip();
	}
	start(hold_as_nobody);
	/* nor is it believed to watch */
	assert_int_equal(watch_takeover_holder(own_index()), 0);
	assert_int_equal(watch_takeover(own_index(), &diag), NBD_E_IN_USE);
	assert_non_null(strstr(diag.text, "of user 65534 watches"));
	assert_lives();
}

/* ---- a process that has some of its own ---- */

static int release[2];

static void hold_with_a_child(void)
{
	int fd = watch_takeover(own_index(), &diag);
	char c;

	if (fd < 0)
		_exit(8);
	close(release[1]);
	if (fork()) {
		tell();
		for (;;)
			pause();
	}
	/* the child has inherited the name, and stays on for a while */
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
	assert_true(watch_takeover_holder(own_index()));
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
	fd = watch_takeover(own_index(), &diag);
	assert_true(fd >= 0);
	assert_true(waits > 0);
	assert_ended();
	close(fd);
}

#define HOLD(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOLD(a_name_is_held_until_its_process_lets_go),
		HOLD(a_second_process_takes_over),
		HOLD(calls_do_not_use_up_the_room_for_calls),
		HOLD(a_queue_that_is_full_keeps_nobody_out),
		HOLD(who_has_the_name_and_does_not_listen_is_not_waited_for),
		HOLD(who_does_not_end_is_told),
		HOLD(another_users_process_is_left_alone),
		HOLD(those_that_it_started_are_waited_for),
	};

	return cmocka_run_group_tests_name("takeover", tests, NULL, NULL);
}
