/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a watcher gives up a read, or asks: a device of two connections, one of
 * which got a part of an answer.  Time is counted in looks, each as soon as the
 * one before has asked for it.
 */
#include "boot/watch/stall.h"
#include "tests/unit.h"
#include "tests/world/clock.h"

#define INDEX	7
/* ms */
#define TIMEOUT 30000u

static struct play {
	uint64_t reads;
	unsigned waiting;
	int end_err;
	unsigned ended, avoided; /* a bit for each local port */
	unsigned asked;		 /* times */
} play;

static struct device dev;
static struct watch_stall stall;
static struct nbd_diag diag;

uint64_t __wrap_nbdk_reads(int index, unsigned *waiting);
int __wrap_device_end(struct device *d, const struct sockdiag_link *l,
		      struct nbd_diag *why);
void __wrap_device_avoid(struct device *d, const struct sockdiag_link *l);
void __wrap_watch_ask(struct watch_ask *a, int index);

void __wrap_watch_ask(struct watch_ask *a, int index)
{
	assert_ptr_equal(a, &stall.ask);
	assert_int_equal(index, INDEX);
	play.asked++;
}

uint64_t __wrap_nbdk_reads(int index, unsigned *waiting)
{
	assert_int_equal(index, INDEX);
	*waiting = play.waiting;
	return play.reads;
}

int __wrap_device_end(struct device *d, const struct sockdiag_link *l,
		      struct nbd_diag *why)
{
	assert_ptr_equal(d, &dev);
	if (play.end_err)
		return nbd_diag(why, play.end_err, "it cannot");
	play.ended |= 1u << l->local_port;
	return 0;
}

void __wrap_device_avoid(struct device *d, const struct sockdiag_link *l)
{
	assert_ptr_equal(d, &dev);
	play.avoided |= 1u << l->local_port;
}

static int start(void **state)
{
	(void)state;
	world = (struct world){ .now = 4711000 };
	play = (struct play){ .reads = 11, .waiting = 1 };
	stall = (struct watch_stall){ 0 };
	memset(&dev, 0, sizeof(dev));
	dev.info.index = INDEX;
	dev.info.io_timeout = TIMEOUT;
	dev.counted = true;
	dev.live = dev.n_links = 2;
	for (unsigned i = 0; i < 2; i++) {
		dev.links[i].family = i ? AF_INET6 : AF_INET;
		dev.links[i].live = true;
		dev.links[i].local_port = (uint16_t)(i + 1);
		dev.links[i].received = 1000000;
	}
	diag.text[0] = '\0';
	return 0;
}

/* One look, and the time until the next. */
static void look(void)
{
	int ms = watch_stall_look(&stall, &dev, &diag);

	assert_in_range(ms, 1, 60000);
	/* not before it is time */
	assert_int_equal(watch_stall_look(&stall, &dev, &diag), ms);
	world.now += (unsigned)ms;
}

/* Looks until a connection is ended, for ms at most; returns the ms. */
static unsigned until_ended(unsigned ms)
{
	uint64_t began = world.now, before = began;

	while (!play.ended && world.now < began + ms) {
		before = world.now;
		look();
	}
	return (unsigned)((play.ended ? before : world.now) - began);
}

static void a_read_that_is_stuck_ends_what_is_silent(void **state)
{
	(void)state;
	assert_int_equal(until_ended(600000), 2 * TIMEOUT);
	assert_int_equal(play.ended, 1u << 1 | 1u << 2);
	assert_int_equal(play.avoided, play.ended);
	assert_string_equal(diag.text,
			    "a read was not answered for 60 s, and the driver "
			    "waits on: ended 2 silent connections");
}

static void it_is_given_up_later_than_the_driver_does(void **state)
{
	(void)state;
	dev.info.io_timeout = 1000;
	/* the driver may be late by 5 s */
	assert_int_equal(until_ended(600000), 6000);
	start(NULL);
	dev.info.io_timeout = 0;
	assert_int_equal(watch_stall_look(&stall, &dev, &diag), -1);
}

static void a_connection_that_moves_data_stays(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		look();
		dev.links[1].received += 1500;
	}
	assert_int_equal(play.ended, 1u << 1);
	assert_int_equal(play.avoided, 1u << 1);
}

static void one_that_only_drips_does_not(void **state)
{
	(void)state;
	dev.n_links = 1;
	while (world.now < 5000000 && !play.ended) {
		look();
		dev.links[0].received += 15;
	}
	assert_int_equal(play.ended, 1u << 1);
}

static void an_answer_begins_all_anew(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		look();
		play.reads += i % 4 == 3;
	}
	assert_int_equal(play.ended, 0);
	assert_int_equal(until_ended(600000), 2 * TIMEOUT);
}

static void so_does_a_time_without_reads(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		play.waiting = i % 4 != 3;
		look();
	}
	assert_int_equal(play.ended, 0);
}

static void so_does_a_connection_that_dies(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		look();
		if (i % 4 == 3)
			watch_stall_forget(&stall);
	}
	assert_int_equal(play.ended, 0);
}

static void so_does_a_count_that_fails(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		dev.counted = i % 4 != 3;
		look();
	}
	assert_int_equal(play.ended, 0);
}

static void a_connection_that_is_new_stays(void **state)
{
	(void)state;
	look();
	look();
	dev.links[1].local_port = 5;
	until_ended(600000);
	assert_int_equal(play.ended, 1u << 1);
}

static void one_that_is_dead_or_has_no_count_is_left_alone(void **state)
{
	(void)state;
	dev.links[0].live = false;
	dev.links[1].family = AF_UNIX;
	until_ended(600000);
	assert_int_equal(play.ended, 0);
	assert_string_equal(diag.text, "");
}

static void a_suspend_is_no_time_without_an_answer(void **state)
{
	(void)state;
	look();
	world.now += 86400000;
	assert_int_equal(until_ended(600000), 2 * TIMEOUT - TIMEOUT / 2);
}

static void a_kernel_that_cannot_end_it_is_named(void **state)
{
	(void)state;
	play.end_err = NBD_E_KERNEL;
	until_ended(600000);
	assert_string_equal(diag.text, "it cannot");
	assert_int_equal(play.avoided, 0);
}

static void more_connections_than_a_device_may_have_are_no_harm(void **state)
{
	(void)state;
	dev.n_links = DEVICE_LINKS;
	for (unsigned i = 0; i < DEVICE_LINKS; i++) {
		dev.links[i] = dev.links[0];
		dev.links[i].local_port = (uint16_t)(i % 32);
	}
	until_ended(600000);
	assert_int_equal(play.ended,
			 0xffffffffu >> (32 - CONFIG_PORT_MAX_CONNECTIONS));
}

static void a_silent_connection_beside_busy_ones_is_asked(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 9; i++) {
		look();
		play.reads++;
		dev.links[0].received += 65536;
	}
	/* at the fifth look, and at the ninth */
	assert_int_equal(play.asked, 2);
	assert_int_equal(play.ended, 0);
	assert_string_equal(diag.text, "");
}

static void busy_connections_are_not_asked(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		look();
		play.reads++;
		dev.links[0].received += 65536;
		dev.links[1].received += 4096;
	}
	assert_int_equal(play.asked, 0);
}

static void nor_is_a_device_that_has_no_work_at_times(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		play.waiting = i % 4 != 3;
		play.reads++;
		look();
	}
	assert_int_equal(play.asked, 0);
}

static void what_is_stuck_for_certain_is_ended(void **state)
{
	(void)state;
	assert_int_equal(until_ended(600000), 2 * TIMEOUT);
	assert_int_equal(play.asked, 0);

	/* one read was done after the first look: both happen */
	start(NULL);
	look();
	play.reads++;
	until_ended(600000);
	assert_int_equal(play.ended, 1u << 1 | 1u << 2);
	assert_int_equal(play.asked, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_read_that_is_stuck_ends_what_is_silent,
				       start),
		cmocka_unit_test_setup(
			it_is_given_up_later_than_the_driver_does, start),
		cmocka_unit_test_setup(a_connection_that_moves_data_stays,
				       start),
		cmocka_unit_test_setup(one_that_only_drips_does_not, start),
		cmocka_unit_test_setup(an_answer_begins_all_anew, start),
		cmocka_unit_test_setup(so_does_a_time_without_reads, start),
		cmocka_unit_test_setup(so_does_a_connection_that_dies, start),
		cmocka_unit_test_setup(so_does_a_count_that_fails, start),
		cmocka_unit_test_setup(a_connection_that_is_new_stays, start),
		cmocka_unit_test_setup(
			one_that_is_dead_or_has_no_count_is_left_alone, start),
		cmocka_unit_test_setup(a_suspend_is_no_time_without_an_answer,
				       start),
		cmocka_unit_test_setup(a_kernel_that_cannot_end_it_is_named,
				       start),
		cmocka_unit_test_setup(
			a_silent_connection_beside_busy_ones_is_asked, start),
		cmocka_unit_test_setup(busy_connections_are_not_asked, start),
		cmocka_unit_test_setup(
			nor_is_a_device_that_has_no_work_at_times, start),
		cmocka_unit_test_setup(what_is_stuck_for_certain_is_ended,
				       start),
		cmocka_unit_test_setup(
			more_connections_than_a_device_may_have_are_no_harm,
			start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
