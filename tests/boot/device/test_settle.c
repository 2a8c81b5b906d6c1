/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first open of a device, in real processes; what they do is played.  They
 * wait for each other at pipes.
 */
#include "boot/device/settle.h"
#include "port/linux/nbdk.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "tests/unit.h"
#include "tests/world/clock.h"

#define INDEX 3
#define SIZE  4096

static struct play {
	bool waits;	/* the opener sleeps until `wake` */
	bool revives;	/* the reviver wakes it */
	bool last;	/* they are revived */
	bool dies;	/* a connection, before that */
	bool signals;	/* the opener sends us SIGTERM first */
	int opens;	/* the opener's result */
	bool over;	/* a wait of a minute is over at once */
	unsigned ended; /* disconnected */
} play;

static int wake[2];
static struct nbd_diag d;

static int played_wait(struct pollfd fds[], nfds_t n, int ms)
{
	if (ms == 60000 && play.over)
		return 0;
	return world_real_poll(fds, n, ms);
}

int __wrap_nbdk_wait_ready(int index, uint64_t size, struct nbd_diag *diag);
int __wrap_nbdk_wait_ready(int index, uint64_t size, struct nbd_diag *diag)
{
	char c;

	if (index != INDEX || size != SIZE)
		return NBD_E_PARAM;
	if (play.signals)
		kill(getppid(), SIGTERM);
	if (play.waits && read(wake[0], &c, 1) != 1)
		return NBD_E_IO;
	return play.opens ? nbd_diag(diag, play.opens, "as played") : 0;
}

void __wrap_device_revive(int index, bool once);
void __wrap_device_revive(int index, bool once)
{
	if (index == INDEX && once && play.dies)
		return;
	if (index == INDEX && !once && play.revives)
		(void)!write(wake[1], "r", 1);
	for (;;)
		pause();
}

/* The opener's I/O fails then. */
int __wrap_nbdk_disconnect(int index, struct nbd_diag *diag);
int __wrap_nbdk_disconnect(int index, struct nbd_diag *diag)
{
	(void)diag;
	assert_int_equal(index, INDEX);
	play.ended++;
	assert_int_equal(write(wake[1], "d", 1), 1);
	return 0;
}

static int settle(struct play p)
{
	struct device_signals signals;
	int rc;

	play = p;
	world = (struct world){ .real = true, .wait = played_wait };
	d.text[0] = '\0';
	assert_int_equal(pipe(wake), 0);
	device_signals_hold(&signals);
	rc = device_settle(INDEX, SIZE, play.last, &signals, &d);
	device_signals_release(&signals);
	close(wake[0]);
	close(wake[1]);
	return rc;
}

static void a_device_that_opens_is_ready(void **state)
{
	(void)state;
	assert_int_equal(settle((struct play){ 0 }), 0);
	assert_int_equal(play.ended, 0);
}

static void connections_are_revived_while_it_waits(void **state)
{
	(void)state;
	assert_int_equal(settle((struct play){ .waits = true,
					       .last = true,
					       .revives = true }),
			 0);
	assert_int_equal(play.ended, 0);
}

static void at_first_a_death_ends_it(void **state)
{
	(void)state;
	assert_int_equal(settle((struct play){ .waits = true, .dies = true }),
			 NBD_E_AGAIN);
	assert_non_null(strstr(d.text, "nbd3: the server took the connection"));
	assert_int_equal(play.ended, 1);
}

static void the_error_of_the_open_is_passed_on(void **state)
{
	(void)state;
	assert_int_equal(settle((struct play){ .opens = NBD_E_SIZE }),
			 NBD_E_SIZE);
	assert_string_equal(d.text, "as played");
	assert_int_equal(play.ended, 1);
}

static void after_a_minute_it_is_given_up(void **state)
{
	(void)state;
	assert_int_equal(settle((struct play){ .waits = true, .over = true }),
			 NBD_E_TIMEOUT);
	assert_non_null(strstr(d.text, "nbd3: the server took the connection"));
	assert_int_equal(play.ended, 1);
}

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	handled = signal;
}

static void a_signal_gives_it_up(void **state)
{
	struct sigaction to = { .sa_handler = handle }, before;
	sigset_t after;

	(void)state;
	sigaction(SIGTERM, &to, &before);
	assert_int_equal(
		settle((struct play){ .waits = true, .signals = true }),
		NBD_E_INTERRUPTED);
	assert_string_equal(d.text, "nbd3: disconnected again");
	assert_int_equal(play.ended, 1);
	/* it reaches the process after the end, whose mask is as before */
	assert_int_equal(handled, SIGTERM);
	sigprocmask(SIG_BLOCK, NULL, &after);
	assert_false(sigismember(&after, SIGTERM));
	sigaction(SIGTERM, &before, NULL);
}

/* Process 1 blocks all: a signal that is pending there stays so. */
static void a_blocked_signal_changes_nothing(void **state)
{
	const struct timespec now = { 0, 0 };
	sigset_t set, old, after;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	raise(SIGTERM);
	assert_int_equal(settle((struct play){ .waits = true,
					       .last = true,
					       .revives = true }),
			 0);
	assert_int_equal(play.ended, 0);
	assert_int_equal(sigtimedwait(&set, NULL, &now), SIGTERM);
	sigprocmask(SIG_SETMASK, &old, &after);
	assert_true(sigismember(&after, SIGTERM));
	assert_false(sigismember(&after, SIGINT));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_that_opens_is_ready),
		cmocka_unit_test(connections_are_revived_while_it_waits),
		cmocka_unit_test(at_first_a_death_ends_it),
		cmocka_unit_test(the_error_of_the_open_is_passed_on),
		cmocka_unit_test(after_a_minute_it_is_given_up),
		cmocka_unit_test(a_signal_gives_it_up),
		cmocka_unit_test(a_blocked_signal_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
