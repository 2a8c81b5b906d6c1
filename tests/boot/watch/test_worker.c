/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a watcher looks, and what it does then: a device of 4 connections whose
 * driver and sockets are played.  Time is counted in waits: the first one, which
 * has no end, is over when the driver reports a death; the play ends with the
 * next one that has no end.
 */
#include "boot/watch/watch.h"
#include "port/linux/module.h"
#include "port/linux/nbdk_watch.h"
#include "tests/boot/watch/wraps.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/harden.h"
#include "tests/world/ready.h"
#include "tests/world/nbdk.h"
#include "tests/world/lock.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/reboot.h>

#define INDEX 7

static struct play {
	int event;	/* the device of the event; -1: an event was lost */
	unsigned shows; /* the wait after which a socket is seen dead; 0: none */
	unsigned away;	/* the wait after which there is a server; 0: always */
	unsigned waits;
	unsigned filled; /* by so many calls, one connection each */
	unsigned counts; /* until then */
	bool gone;
	int unreadable;	  /* errno, until the fourth wait: as if it was gone */
	bool drops;	  /* each connection dies 1 ms after it was made ... */
	bool dead;	  /* ... and this one has */
	int first;	  /* ms of the first time that it was replaced */
	unsigned waiting; /* requests without an answer */
	/* the wait after which counting fails once, and another later one */
	unsigned uncounted, uncounted_again;
	bool countless;	   /* it always fails, but for the first time */
	unsigned outage;   /* s until a reboot */
	unsigned rebooted; /* ms */
	unsigned avoided;  /* times that a server is asked last */
	unsigned sleeps;   /* ms of a suspend during the tenth wait */
	uint64_t slept;
	bool answers;  /* some requests, all the time */
	bool busy;     /* other events end each wait of the first second */
	bool terminal; /* standard error is one */
} play;

static uint64_t began; /* ms, when the play did */

static uint64_t passed(void)
{
	return world.now - began;
}

/* What was written to standard error. */
static char log_text[4096];

static struct nbd_diag diag, module_diag;

/* ---- the device ---- */

int __wrap_device_read(struct device *dev, int index, struct nbd_diag *d);
int __wrap_device_count(struct device *dev, struct nbd_diag *d);
void __wrap_device_reread(struct device *dev);
int __wrap_device_fill(struct device *dev, unsigned want, struct nbd_diag *d);

static void info(int index, struct nbdk_info *info)
{
	(void)index;
	info->connected = !play.gone;
	if (!play.unreadable || !play.waits || play.waits > 3)
		return;
	info->connected = false;
	errno = play.unreadable;
}

void __wrap_device_reread(struct device *dev)
{
	dev->wanted = 4;
}

int __wrap_device_count(struct device *dev, struct nbd_diag *d)
{
	bool dead = play.drops ? play.dead
			       : play.shows && play.waits >= play.shows &&
					 !play.filled;

	play.counts += !play.filled;
	dev->live = dead ? play.outage ? 0 : 3 : 4;
	dev->counted = (!play.uncounted || play.waits != play.uncounted) &&
		       (!play.countless || !play.waits);
	if (dev->counted)
		return 0;
	play.uncounted = play.uncounted_again;
	dev->live = 0;
	return nbd_diag(d, NBD_E_NO_MEMORY, "no memory");
}

int __wrap_device_read(struct device *dev, int index, struct nbd_diag *d)
{
	dev->known = true;
	__wrap_device_reread(dev);
	nbdk_info(index, &dev->info);
	return __wrap_device_count(dev, d);
}

int __wrap_device_fill(struct device *dev, unsigned want, struct nbd_diag *d)
{
	assert_int_equal(want, 4);
	if (!dev->counted && device_count(dev, d))
		return NBD_E_NO_MEMORY;
	if (dev->live == want)
		return 0;
	assert_int_equal(dev->live, play.outage ? 0 : 3);
	if (play.waits < play.away)
		return nbd_diag(d, NBD_E_REFUSED, "nobody there");
	if (!play.filled++)
		play.first = (int)passed();
	/* as for TLS that is built in: no file of a root that may be away */
	assert_int_equal(mod_load("tls", "", &module_diag), NBD_E_NOT_FOUND);
	play.dead = false;
	dev->live = 4;
	return 0;
}

void __wrap_device_dialer_avoid(struct device_dialer *dl);
void __wrap_device_dialer_avoid(struct device_dialer *dl)
{
	(void)dl;
	play.avoided++;
}

uint64_t __wrap_nbdk_answered(int index, unsigned *waiting);
int __wrap_isatty(int fd);
ssize_t __wrap_write(int fd, const void *p, size_t len);
ssize_t __real_write(int fd, const void *p, size_t len);

uint64_t __wrap_nbdk_answered(int index, unsigned *waiting)
{
	assert_int_equal(index, INDEX);
	*waiting = play.waiting;
	/* some were answered since the play before */
	return began + (play.answers ? passed() : 0);
}

uint64_t __wrap_suspend_ms(void);
uint64_t __wrap_suspend_ms(void)
{
	return play.slept;
}

int __wrap_reboot(int how);
int __wrap_reboot(int how)
{
	assert_int_equal(how, RB_AUTOBOOT);
	play.rebooted = (unsigned)passed();
	play.gone = true;
	return 0;
}

int __wrap_isatty(int fd)
{
	assert_int_equal(fd, 2);
	return play.terminal;
}

ssize_t __wrap_write(int fd, const void *p, size_t len)
{
	if (fd != 2 || !memmem(p, len, "nbdboot: nbd", 12))
		return __real_write(fd, p, len);
	strncat(log_text, p, len);
	return (ssize_t)len;
}

/* ---- events ---- */

int __wrap_nbdk_watch_open(struct nbdk_watch *w, struct nbd_diag *d);
int __wrap_nbdk_watch_read(struct nbdk_watch *w,
			   void (*fn)(void *ctx, int index), void *ctx);

int __wrap_nbdk_watch_open(struct nbdk_watch *w, struct nbd_diag *d)
{
	(void)d;
	w->nl.fd = -1;
	return 0;
}

int __wrap_nbdk_watch_read(struct nbdk_watch *w,
			   void (*fn)(void *ctx, int index), void *ctx)
{
	(void)w;
	if (play.drops && play.dead)
		fn(ctx, INDEX);
	if (play.drops || play.waits != 1)
		return 0;
	if (play.event < 0)
		return NBD_E_NO_MEMORY;
	fn(ctx, play.event);
	return 0;
}

static int played_wait(struct pollfd p[], nfds_t n, int ms)
{
	(void)p;
	assert_int_equal(n, 3);
	if (play.drops) {
		/* a death is an event, and then there is none until it is time */
		world.now += play.dead ? (unsigned)ms : 1;
		play.dead = true;
		play.gone = passed() > 20000;
		return 1;
	}
	if (ms < 0 && play.waits++)
		play.gone = true;
	if (ms < 0)
		return 1;
	if (++play.waits == 10) {
		play.slept = play.sleeps;
		world.now += play.sleeps;
	}
	world.now += play.busy && passed() < 1000 ? 10 : (unsigned)ms;
	play.gone |= play.countless && passed() > 60000;
	return 0;
}

/* ---- what a test does not do to itself ---- */

int __wrap_watch_uevent_open(struct nl_sock *s, struct nbd_diag *d)
{
	(void)s, (void)d;
	return NBD_E_KERNEL;
}

bool __wrap_watch_uevent_is_nbd(struct nl_sock *s,
				void (*other)(void *ctx, const char *text,
					      size_t n),
				void *ctx)
{
	(void)s, (void)other, (void)ctx;
	return false;
}

int __wrap_watch_liar_open(struct watch_liar *l, int devices)
{
	(void)devices;
	l->ends[0] = -1;
	return -1;
}

int __wrap_watch_takeover(int index, struct nbd_diag *d)
{
	(void)index, (void)d;
	return 0;
}

static void watch(struct play p)
{
	play = p;
	began += 1000000; /* the last play was long ago */
	world = (struct world){
		.now = began, .wait = played_wait, .info = info, .lock = -1
	};
	log_text[0] = '\0';
	assert_int_equal(watch_worker_run(INDEX, play.outage, &diag), 0);
	/* only a watcher that may reboot the machine can */
	assert_int_equal(world.confined, 1);
	assert_int_equal(!(world.rights & 1u << CAP_SYS_BOOT), !play.outage);
}

/* ---- the tests ---- */

static void a_death_that_shows_is_made_up_for(void **state)
{
	(void)state;
	watch((struct play){ .event = INDEX, .shows = 1 });
	assert_int_equal(play.filled, 1);
	/* at the start, before the report, after it, and under the lock */
	assert_int_equal(play.counts, 4);
}

static void a_watcher_reads_no_table_of_modules(void **state)
{
	(void)state;
	watch((struct play){ .event = INDEX, .shows = 1 });
	assert_int_equal(play.filled, 1);
	assert_non_null(strstr(module_diag.text, "open /dev/null/modules.dep"));
}

static void a_socket_may_die_after_the_report(void **state)
{
	(void)state;
	for (unsigned shows = 2; shows <= 6; shows++) {
		watch((struct play){ .event = INDEX, .shows = shows });
		assert_int_equal(play.filled, 1);
	}
}

static void so_may_one_whose_news_was_lost(void **state)
{
	(void)state;
	watch((struct play){ .event = -1, .shows = 3 });
	assert_int_equal(play.filled, 1);
}

static void a_count_that_fails_is_no_proof_of_life(void **state)
{
	(void)state;
	for (unsigned fails = 2; fails <= 7; fails++) {
		watch((struct play){
			.event = INDEX, .shows = 7, .uncounted = fails });
		assert_int_equal(play.filled, 1);
	}
}

static void a_lack_of_memory_is_no_end(void **state)
{
	static const int lacks[] = { ENOMEM, ENFILE, EMFILE };

	(void)state;
	for (unsigned i = 0; i < sizeof(lacks) / sizeof(*lacks); i++) {
		watch((struct play){
			.event = INDEX, .shows = 4, .unreadable = lacks[i] });
		assert_int_equal(play.filled, 1);
	}
	watch((struct play){
		.event = INDEX, .shows = 4, .unreadable = ENOENT });
	assert_int_equal(play.filled, 0);
}

/* All live each time: it was not a connection that died soon. */
static void a_count_that_fails_twice_makes_no_server_the_last(void **state)
{
	(void)state;
	watch((struct play){
		.event = INDEX, .uncounted = 2, .uncounted_again = 4 });
	assert_int_equal(play.uncounted, 4);
	assert_int_equal(play.filled, 0);
	assert_int_equal(play.avoided, 0);
}

static void other_events_do_not_end_the_doubt(void **state)
{
	(void)state;
	watch((struct play){ .event = INDEX, .busy = true });
	assert_in_range(passed(), 2500, 6800);
}

static void doubt_ends(void **state)
{
	(void)state;
	watch((struct play){ .event = INDEX });
	assert_int_equal(play.filled, 0);
	assert_in_range(passed(), 4400, 5800);
}

static void the_death_of_another_device_is_nothing(void **state)
{
	(void)state;
	watch((struct play){ .event = INDEX + 1 });
	assert_int_equal(passed(), 0);
}

static void a_server_that_is_away_is_asked_until_it_is_back(void **state)
{
	(void)state;
	watch((struct play){ .event = INDEX, .shows = 1, .away = 50 });
	assert_int_equal(play.filled, 1);
	/* 2 s each, but for the first ones */
	assert_in_range(passed(), 75000, 115000);
	assert_int_equal(play.avoided, 0);
}

static void a_server_that_drops_what_it_takes_is_not_hammered(void **state)
{
	(void)state;
	watch((struct play){ .drops = true });
	/* the first time it may be an accident */
	assert_in_range(play.first, 0, 2);
	/* in 20 s */
	assert_in_range(play.filled, 8, 20);
	/* from the second time on another server is asked, if there is one */
	assert_int_equal(play.avoided, play.filled - 1);
}

static unsigned lines_with(const char *text)
{
	unsigned n = 0;

	for (const char *p = log_text; (p = strstr(p, text)); p++)
		n++;
	return n;
}

static void silence_behind_a_connection_is_named_once(void **state)
{
	(void)state;
	watch((struct play){ .drops = true, .waiting = 3 });
	assert_int_equal(lines_with("(MTU)"), 1);
	/* if nobody waits for an answer, that there is none means nothing */
	watch((struct play){ .drops = true });
	assert_int_equal(lines_with("(MTU)"), 0);
	assert_int_equal(lines_with("live again"), 1);
}

static void an_outage_that_is_too_long_ends_in_a_reboot(void **state)
{
	(void)state;
	watch((struct play){
		.event = INDEX, .shows = 1, .away = 9999, .outage = 60 });
	assert_in_range(play.rebooted, 60000, 62000);
	/* at a level that a quiet console shows */
	assert_int_equal(lines_with("<2>nbdboot: nbd7: no answer for 60 s: "
				    "rebooting"),
			 1);
	/* a person sees no level */
	watch((struct play){ .event = INDEX,
			     .shows = 1,
			     .away = 9999,
			     .outage = 60,
			     .terminal = true });
	assert_int_equal(lines_with("<2>"), 0);
	assert_int_equal(lines_with("nbd7: no answer for 60 s: rebooting"), 1);
}

static void a_shorter_one_does_not(void **state)
{
	(void)state;
	/* 50 waits are about 95 s */
	watch((struct play){
		.event = INDEX, .shows = 1, .away = 50, .outage = 200 });
	assert_int_equal(play.rebooted, 0);
	assert_int_equal(play.filled, 1);
}

/* Nobody answers a machine that asks nothing. */
static void a_suspend_is_no_outage(void **state)
{
	(void)state;
	watch((struct play){ .event = INDEX,
			     .shows = 1,
			     .away = 9999,
			     .outage = 60,
			     .sleeps = 600000 });
	assert_in_range(play.rebooted, 660000, 662000);
	watch((struct play){ .event = INDEX,
			     .shows = 1,
			     .away = 50,
			     .outage = 200,
			     .sleeps = 600000 });
	assert_int_equal(play.slept, 600000);
	assert_int_equal(play.rebooted, 0);
	assert_int_equal(play.filled, 1);
}

static void connections_without_answers_are_an_outage(void **state)
{
	(void)state;
	watch((struct play){ .drops = true, .waiting = 3, .outage = 15 });
	assert_in_range(play.rebooted, 15000, 17000);
	/* with answers, or if nobody waits for them, they are not */
	watch((struct play){
		.drops = true, .waiting = 3, .answers = true, .outage = 15 });
	assert_int_equal(play.rebooted, 0);
	watch((struct play){ .drops = true, .outage = 15 });
	assert_int_equal(play.rebooted, 0);
}

/* Nothing is known of the connections then, but answers still come. */
static void a_count_that_fails_is_no_outage(void **state)
{
	(void)state;
	watch((struct play){ .event = INDEX + 1,
			     .countless = true,
			     .waiting = 3,
			     .answers = true,
			     .outage = 15 });
	assert_in_range(passed(), 60000, 70000);
	assert_int_equal(play.rebooted, 0);
	watch((struct play){ .event = INDEX + 1,
			     .countless = true,
			     .waiting = 3,
			     .outage = 15 });
	assert_in_range(play.rebooted, 15000, 17000);
}

static void the_limit_of_an_outage_is_parsed(void **state)
{
	static const char *const wrong[] = {
		"",	    "reboot",	 "reboot:",	    "reboot:0",
		"halt:600", "reboot:-1", "reboot:2147484",  "reboot:1s",
		"600",	    "Reboot:60", "reboot:99999999",
	};

	(void)state;
	assert_int_equal(watch_outage_parse("reboot:600", &diag), 600);
	assert_int_equal(watch_outage_parse("reboot:2147483", &diag), 2147483);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(watch_outage_parse(wrong[i], &diag),
				 NBD_E_USAGE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_death_that_shows_is_made_up_for),
		cmocka_unit_test(a_watcher_reads_no_table_of_modules),
		cmocka_unit_test(a_socket_may_die_after_the_report),
		cmocka_unit_test(so_may_one_whose_news_was_lost),
		cmocka_unit_test(a_count_that_fails_is_no_proof_of_life),
		cmocka_unit_test(
			a_count_that_fails_twice_makes_no_server_the_last),
		cmocka_unit_test(other_events_do_not_end_the_doubt),
		cmocka_unit_test(doubt_ends),
		cmocka_unit_test(the_death_of_another_device_is_nothing),
		cmocka_unit_test(
			a_server_that_is_away_is_asked_until_it_is_back),
		cmocka_unit_test(
			a_server_that_drops_what_it_takes_is_not_hammered),
		cmocka_unit_test(silence_behind_a_connection_is_named_once),
		cmocka_unit_test(an_outage_that_is_too_long_ends_in_a_reboot),
		cmocka_unit_test(a_shorter_one_does_not),
		cmocka_unit_test(a_suspend_is_no_outage),
		cmocka_unit_test(connections_without_answers_are_an_outage),
		cmocka_unit_test(a_count_that_fails_is_no_outage),
		cmocka_unit_test(a_lack_of_memory_is_no_end),
		cmocka_unit_test(the_limit_of_an_outage_is_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
