/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which devices get a watcher, and when.  The devices and their uevents are
 * played, the children are real.  A test is a function that is called in place
 * of each poll(), and ends the endless loop with a jump.
 */
#include "boot/watch/watch.h"
#include "boot/system/ready.h"
#include "tests/boot/watch/wraps.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/harden.h"
#include "tests/world/nbdk.h"
#include "tests/world/netlink.h"

#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEVICES (WATCH_MAX + 3)
/* The exit status of a child that cannot watch. */
#define FAILED	2

static struct play {
	bool there[DEVICES];	 /* connected, with an identifier */
	bool refuses[DEVICES];	 /* cannot be watched */
	int ends_by[DEVICES];	 /* the signal that ends its watcher, 0: none */
	pid_t others[DEVICES];	 /* the process that watches it, not this one */
	const char *const *news; /* uevents that have arrived, up to NULL */
	unsigned polls, pauses, full;
	unsigned no_forks; /* so many fail */
	int (*step)(struct pollfd p[], nfds_t n, int ms);
} play;

static struct watch w;
static jmp_buf over;

/* ---- the devices ---- */

int __wrap_device_identify(struct device *dev, int index, struct nbd_diag *d);
pid_t __wrap_watch_takeover_holder(int index);
int __wrap_watch_worker_run(int index, unsigned outage, struct nbd_diag *d);

int __wrap_device_identify(struct device *dev, int index, struct nbd_diag *d)
{
	(void)dev, (void)d;
	return play.there[index] ? 0 : NBD_E_NO_DEVICE;
}

pid_t __wrap_watch_takeover_holder(int index)
{
	return play.others[index];
}

int __wrap_watch_takeover(int index, struct nbd_diag *d)
{
	(void)d;
	assert_int_equal(index, WATCH_ALL);
	return 0;
}

int __wrap_watch_worker_run(int index, unsigned outage, struct nbd_diag *d)
{
	if (play.refuses[index])
		return nbd_diag(d, NBD_E_KERNEL, "not nbd%d", index);
	assert_int_equal(outage, 600);
	boot_ready_tell();
	if (play.ends_by[index])
		raise(play.ends_by[index]);
	for (;;)
		pause();
}

pid_t __wrap__Fork(void);
pid_t __real__Fork(void);

pid_t __wrap__Fork(void)
{
	if (!play.no_forks)
		return __real__Fork();
	play.no_forks--;
	return -1;
}

static int failed(const char *subject, int err, const struct nbd_diag *d)
{
	(void)subject;
	if (err == NBD_E_NO_MEMORY)
		play.full++;
	if (err == NBD_E_NO_MEMORY && d) {
		assert_string_equal(d->text,
				    "nbd250, and any further one, is not "
				    "watched: there are more than 250 devices");
	}
	return err == NBD_E_KERNEL ? FAILED : FAILED + 1;
}

/* ---- events ---- */

/* "" is a message that was lost. */
static int hear(struct nl_sock *s)
{
	const char *text = play.news ? *play.news : NULL;
	size_t len = text ? strlen(text) : 0;

	assert_int_equal(world.nl_protocol, NETLINK_KOBJECT_UEVENT);
	if (!text)
		return NBD_E_AGAIN;
	play.news++;
	/* the end of the buffer is not NUL, nor what a longer one left there */
	memset(s->buf, 'x', sizeof(s->buf));
	memcpy(s->buf, text, len + (len > 0));
	return len ? (int)len + 1 : 0;
}

static int played_wait(struct pollfd p[], nfds_t n, int ms)
{
	if (!n) {
		assert_int_equal(ms, 500);
		play.pauses++;
		return 0;
	}
	play.polls++;
	return play.step(p, n, ms);
}

static const char *const uevent[] = { "add@/devices/virtual/block/nbd1", NULL };

static int arrives(const char *const news[])
{
	play.news = news;
	return 1;
}

/* Waits for the end of a process that the program waits for, too. */
static int ends(struct pollfd p[], nfds_t n, pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	return world_real_poll(p, n, -1);
}

/* ---- the play ---- */

/* The process that watches nbdN: 0: none. */
static pid_t watcher(int index)
{
	pid_t pid = 0;

	for (unsigned i = 0; i < WATCH_MAX; i++)
		if (w.children[i].pid > 0 && w.children[i].index == index) {
			assert_int_equal(pid, 0);
			pid = w.children[i].pid;
		}
	return pid;
}

static void run(struct play p)
{
	world = (struct world){ .wait = played_wait,
				.hear = hear,
				.devices = DEVICES };
	play = p;
	w = (struct watch){ .failed = failed, .outage = 600 };
	alarm(60); /* a test that hangs dies */
	if (!setjmp(over))
		watch_all(&w);
	alarm(0);
	for (unsigned i = 0; i < WATCH_MAX; i++)
		if (w.children[i].pid > 0) {
			kill(w.children[i].pid, SIGKILL);
			waitpid(w.children[i].pid, NULL, 0);
		}
	while (w.n_events > 1)
		close(w.events[--w.n_events].fd);
}

static _Noreturn void end(void)
{
	longjmp(over, 1);
}

/* ---- the tests ---- */

static int full_step(struct pollfd p[], nfds_t n, int ms)
{
	(void)p, (void)n;
	if (play.polls == 1)
		return arrives(uevent);
	if (ms >= 0)
		return 0;
	for (int i = 0; i < WATCH_MAX; i++)
		assert_int_not_equal(watcher(i), 0);
	assert_int_equal(watcher(WATCH_MAX), 0);
	end();
}

static void more_devices_than_there_is_room_for_are_reported_once(void **state)
{
	struct play p = { .step = full_step };

	(void)state;
	for (unsigned i = 0; i < DEVICES; i++)
		p.there[i] = true;
	run(p);
	assert_true(play.polls >= 3);
	assert_int_equal(play.full, 1);
}

static void note(void *ctx, const char *text, size_t n)
{
	char *to = ctx;

	strcat(strcat(to, text), ";");
	assert_int_equal(n, strlen(text) + 1);
}

static void only_uevents_of_nbd_devices_count(void **state)
{
	static const char *const mixed[] = { "change@/devices/x/sda",
					     "change@/devices/block/nbd0",
					     "add@/module/nbd", NULL };
	static const char *const others[] = { "change@/devices/x/sda",
					      "add@/module/nbd", NULL };
	static const char *const lost[] = { "", NULL };
	static struct nl_sock s;
	char heard[100] = "";

	(void)state;
	world = (struct world){ .wait = played_wait,
				.hear = hear,
				.devices = DEVICES };
	play = (struct play){ .news = mixed };
	assert_int_equal(watch_uevent_open(&s, NULL), 0);
	assert_true(watch_uevent_is_nbd(&s, note, heard));
	assert_string_equal(heard, "change@/devices/x/sda;add@/module/nbd;");
	/* all were read */
	assert_false(watch_uevent_is_nbd(&s, NULL, NULL));
	play.news = others;
	assert_false(watch_uevent_is_nbd(&s, NULL, NULL));
	play.news = lost;
	assert_true(watch_uevent_is_nbd(&s, NULL, NULL));
}

static int step_twice(struct pollfd p[], nfds_t n, int ms)
{
	static pid_t first;

	(void)p, (void)n, (void)ms;
	assert_true(watcher(0) && watcher(2));
	assert_false(watcher(1) || watcher(3));
	if (play.polls == 1)
		first = watcher(0);
	assert_int_equal(watcher(0), first);
	if (play.polls == 3)
		end();
	return arrives(uevent);
}

static void each_device_gets_one_watcher(void **state)
{
	(void)state;
	run((struct play){ .there = { [0] = true, [2] = true },
			   .step = step_twice });
}

/* The uevent is sent before the device can be identified. */
static int step_late(struct pollfd p[], nfds_t n, int ms)
{
	(void)p, (void)n;
	switch (play.polls) {
	case 1: /* a device may have come while this one started */
		assert_int_equal(ms, 500);
		return 0;
	case 2:
		assert_int_equal(ms, -1);
		return arrives(uevent);
	case 3:
		assert_int_equal(ms, 500);
		assert_false(watcher(1));
		play.there[1] = true;
		return 0;
	default:
		assert_int_equal(ms, -1);
		assert_true(watcher(1));
		end();
	}
}

static void a_device_is_found_a_little_after_its_event(void **state)
{
	(void)state;
	run((struct play){ .step = step_late });
}

static int step_other(struct pollfd p[], nfds_t n, int ms)
{
	pid_t other = play.others[0];

	(void)ms;
	if (play.polls == 1) {
		assert_false(watcher(0));
		assert_int_equal(n, 2);
		play.others[0] = 0;
		return ends(p, n, other);
	}
	assert_true(watcher(0));
	end();
}

static void a_device_of_another_watcher_is_taken_when_that_ends(void **state)
{
	pid_t other = fork();

	(void)state;
	while (other == 0)
		pause();
	run((struct play){
		.there = { true }, .others = { other }, .step = step_other });
}

static int step_killed(struct pollfd p[], nfds_t n, int ms)
{
	static pid_t first;

	(void)ms;
	if (play.polls == 1) {
		first = watcher(0);
		return ends(p, n, first);
	}
	assert_true(watcher(0));
	assert_int_not_equal(watcher(0), first);
	assert_int_equal(play.pauses, 1);
	end();
}

static void a_watcher_that_is_killed_is_replaced(void **state)
{
	(void)state;
	run((struct play){ .there = { true }, .step = step_killed });
}

static int step_refused(struct pollfd p[], nfds_t n, int ms)
{
	static const char *const others[] = { "change@/devices/x/sda", NULL };

	(void)ms;
	if (play.polls == 1) /* the child ends by itself */
		return world_real_poll(p, n, -1);
	if (play.polls == 5) {
		assert_true(watcher(1));
		end();
	}
	assert_false(watcher(1));
	assert_int_equal(n, 1);
	assert_int_equal(play.pauses, 0);
	play.refuses[1] = false;
	return play.polls == 2	 ? arrives(others)
	       : play.polls == 3 ? 0
				 : arrives(uevent);
}

static void one_that_cannot_watch_is_tried_again_at_the_next_event(void **state)
{
	(void)state;
	run((struct play){ .there = { [1] = true },
			   .refuses = { [1] = true },
			   .step = step_refused });
}

static int step_forkless(struct pollfd p[], nfds_t n, int ms)
{
	(void)p, (void)n;
	if (ms < 0)
		end();
	return 0;
}

static void a_child_that_cannot_be_forked_is_tried_again(void **state)
{
	(void)state;
	run((struct play){
		.there = { true }, .no_forks = 5, .step = step_forkless });
	assert_int_not_equal(watcher(0), 0);
	assert_int_equal(play.full, 1);
}

static void of_several_devices_each_failure_counts(void **state)
{
	static const int both[] = { 0, 1 };

	(void)state;
	world = (struct world){ .wait = played_wait,
				.hear = hear,
				.devices = DEVICES };
	play = (struct play){ .refuses = { true, true } };
	w = (struct watch){ .failed = failed };
	assert_int_equal(watch_devices(&w, both, 2), FAILED);
	w = (struct watch){ .failed = failed };
	assert_int_equal(watch_devices(&w, both, 1), FAILED);
}

static int ended_by(int one, int other)
{
	static const int both[] = { 0, 1 };

	world = (struct world){ .wait = played_wait,
				.hear = hear,
				.devices = DEVICES };
	play = (struct play){ .ends_by = { one, other } };
	w = (struct watch){ .failed = failed, .outage = 600 };
	return watch_devices(&w, both, 2);
}

/* SIGTERM is from another watcher, which takes the device over. */
static void of_several_devices_a_killed_watcher_is_a_failure(void **state)
{
	(void)state;
	assert_int_equal(ended_by(SIGKILL, SIGTERM), FAILED);
	assert_int_equal(ended_by(SIGTERM, SIGTERM), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_uevents_of_nbd_devices_count),
		cmocka_unit_test(
			more_devices_than_there_is_room_for_are_reported_once),
		cmocka_unit_test(each_device_gets_one_watcher),
		cmocka_unit_test(a_device_is_found_a_little_after_its_event),
		cmocka_unit_test(
			a_device_of_another_watcher_is_taken_when_that_ends),
		cmocka_unit_test(a_watcher_that_is_killed_is_replaced),
		cmocka_unit_test(
			one_that_cannot_watch_is_tried_again_at_the_next_event),
		cmocka_unit_test(a_child_that_cannot_be_forked_is_tried_again),
		cmocka_unit_test(of_several_devices_each_failure_counts),
		cmocka_unit_test(
			of_several_devices_a_killed_watcher_is_a_failure),
	};

	return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
