/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a watcher does about wrong blocks: which uevents it takes, and which
 * servers it leaves after what its child has found.  The child is played.
 */
#include "boot/watch/liar.h"
#include "tests/unit.h"
#include "tests/world/lock.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct watch_liar l;
static struct device dev;
static struct nbd_diag d;
static unsigned forks, left; /* left: a mask of servers */

pid_t __wrap__Fork(void);
pid_t __wrap_waitpid(pid_t pid, int *status, int flags);
int __wrap_device_count(struct device *of, struct nbd_diag *why);
int __wrap_device_leave(struct device *of, unsigned server,
			struct nbd_diag *why);

pid_t __wrap__Fork(void)
{
	forks++;
	return 4711;
}

static bool ended;     /* the child, before its result is read */
static unsigned waits; /* for its end */

pid_t __wrap_waitpid(pid_t pid, int *status, int flags)
{
	assert_int_equal(pid, 4711);
	assert_null(status);
	waits += flags != WNOHANG;
	return flags == WNOHANG && !ended ? 0 : pid;
}

int __wrap_device_count(struct device *of, struct nbd_diag *why)
{
	(void)why;
	/* what was left is dead, and not replaced yet */
	of->live = left ? 0 : 1;
	return 0;
}

int __wrap_device_leave(struct device *of, unsigned server,
			struct nbd_diag *why)
{
	(void)of, (void)why;
	left |= 1u << server;
	return 0;
}

/* ---- uevents ---- */

#define EVENT(extra)                                                   \
	"change@/devices/virtual/block/dm-0\0ACTION=change\0"          \
	"DEVPATH=/devices/virtual/block/dm-0\0SUBSYSTEM=block\0" extra \
	"\0MAJOR=254\0MINOR=0\0DEVNAME=dm-0\0DEVTYPE=disk\0SEQNUM=17"
#define hear(text) watch_liar_hear(&l, text, sizeof(text))
#define WRONG	   EVENT("DM_VERITY_ERR_BLOCK_NR=0,17")

static int begin(void **state)
{
	(void)state;
	memset(&l, 0, sizeof(l));
	memset(&dev, 0, sizeof(dev));
	assert_int_equal(device_backend_parse(&dev.b, dev.buf,
					      "nbd://a/,nbd://b/,nbd://c/"),
			 0);
	dev.live = dev.wanted = 1;
	dev.counted = true;
	forks = left = waits = 0;
	ended = false;
	assert_true(watch_liar_open(&l, -1) >= 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	close(l.ends[0]);
	close(l.ends[1]);
	return 0;
}

static void look(void)
{
	watch_liar_look(&l, &dev, &d);
}

static void a_uevent_names_the_block(void **state)
{
	(void)state;
	hear(EVENT("DM_VERITY_ERR_BLOCK_NR=1,18446744073709551615"));
	assert_true(l.waits);
	assert_true(l.hash);
	assert_true(l.block == UINT64_MAX);
	assert_string_equal(l.name, "dm-0");
	/* the first of several is looked for */
	hear(WRONG);
	assert_true(l.hash);
}

static void other_uevents_are_none(void **state)
{
	(void)state;
	hear(EVENT(""));
	hear(EVENT("DM_VERITY_ERR_BLOCK_NR="));
	hear(EVENT("DM_VERITY_ERR_BLOCK_NR=2,17"));
	hear(EVENT("DM_VERITY_ERR_BLOCK_NR=0,17x"));
	hear(EVENT("X=DM_VERITY_ERR_BLOCK_NR=0,17"));
	hear("DM_VERITY_ERR_BLOCK_NR=0,17");
	hear("DM_VERITY_ERR_BLOCK_NR=0,17\0DEVNAME=a-name-too-long");
	hear("");
	look();
	assert_int_equal(forks, 0);
}

/* ---- what is found ---- */

static void find(unsigned char lied, unsigned char right, unsigned char only)
{
	const unsigned char found[3] = { lied, right, only };
	unsigned before = forks;

	hear(WRONG);
	look();
	assert_int_equal(forks, before + 1);
	assert_int_equal(send(l.ends[1], found, sizeof(found), 0),
			 sizeof(found));
	look();
}

static void a_server_is_left_if_another_is_right(void **state)
{
	(void)state;
	find(1, 6, 0);
	assert_int_equal(left, 1);
	assert_string_equal(d.text, "verity: nbd://a/ is left for another "
				    "server, and asked last from now on");
	assert_int_equal(forks, 1);
	/* once all live again, the table is loaded anew */
	look();
	assert_int_equal(forks, 1);
	dev.live = 1;
	look();
	assert_int_equal(forks, 2);
	look();
	assert_int_equal(forks, 2);
}

static void nobody_is_left_for_no_one(void **state)
{
	(void)state;
	find(1, 0, 1);
	find(7, 0, 0);
	assert_int_equal(left, 0);
	dev.live = 1;
	look();
	assert_int_equal(forks, 2);
}

static void without_a_count_nothing_is_ended(void **state)
{
	(void)state;
	dev.counted = false;
	find(1, 6, 0);
	assert_int_equal(left, 0);
}

/* Its result is there before it is: no wait may be for the next one. */
static void a_child_that_has_ended_is_not_awaited(void **state)
{
	(void)state;
	ended = true;
	find(1, 6, 0);
	assert_int_equal(left, 1);
	assert_int_equal(waits, 0);
	ended = false;
	find(1, 6, 0);
	assert_int_equal(waits, 1);
}

static void what_came_before_is_no_fault_of_the_next(void **state)
{
	const unsigned char found[3] = { 1, 2, 1 };

	(void)state;
	hear(WRONG);
	look();
	hear(WRONG);
	send(l.ends[1], found, sizeof(found), 0);
	look();
	assert_int_equal(left, 1);
	assert_false(l.waits);
}

static void blocks_that_are_wrong_once_are_counted(void **state)
{
	(void)state;
	find(0, 3, 1);
	find(0, 3, 1);
	assert_int_equal(left, 0);
	/* of another server */
	find(0, 3, 2);
	find(0, 3, 2);
	assert_int_equal(left, 0);
	find(0, 3, 2);
	assert_int_equal(left, 2);
}

static void the_only_right_server_is_never_left(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5; i++)
		find(0, 1, 1);
	assert_int_equal(left, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(a_uevent_names_the_block),
		TEST(other_uevents_are_none),
		TEST(a_server_is_left_if_another_is_right),
		TEST(nobody_is_left_for_no_one),
		TEST(without_a_count_nothing_is_ended),
		TEST(a_child_that_has_ended_is_not_awaited),
		TEST(what_came_before_is_no_fault_of_the_next),
		TEST(blocks_that_are_wrong_once_are_counted),
		TEST(the_only_right_server_is_never_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
