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

#define INDEX 3
#define SIZE  4096

static struct play {
	bool waits;	/* the opener sleeps until `wake` */
	bool revives;	/* the reviver wakes it */
	bool signals;	/* the opener sends us SIGTERM first */
	int opens;	/* the opener's result */
	bool over;	/* a wait of a minute is over at once */
	unsigned ended; /* disconnected */
} play;

static int wake[2];
static struct nbd_diag d;

int __real_poll(struct pollfd fds[], nfds_t n, int ms);
int __wrap_poll(struct pollfd fds[], nfds_t n, int ms);
int __wrap_poll(struct pollfd fds[], nfds_t n, int ms)
{
	if (ms == 60000 && play.over)
		return 0;
	return __real_poll(fds, n, ms);
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

void __wrap_device_revive(int index);
void __wrap_device_revive(int index)
{
	if (index == INDEX && play.revives)
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
	int rc;

	play = p;
	d.text[0] = '\0';
	assert_int_equal(pipe(wake), 0);
	rc = device_settle(INDEX, SIZE, &d);
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
	assert_int_equal(
		settle((struct play){ .waits = true, .revives = true }), 0);
	assert_int_equal(play.ended, 0);
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

static void a_signal_gives_it_up(void **state)
{
	const struct timespec now = { 0, 0 };
	sigset_t set, old, after;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	assert_int_equal(
		settle((struct play){ .waits = true, .signals = true }),
		NBD_E_TIMEOUT);
	assert_int_equal(play.ended, 1);
	/* it is still there for the caller, whose mask is as before */
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
		cmocka_unit_test(the_error_of_the_open_is_passed_on),
		cmocka_unit_test(after_a_minute_it_is_given_up),
		cmocka_unit_test(a_signal_gives_it_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
