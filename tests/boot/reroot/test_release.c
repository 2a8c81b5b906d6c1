/* SPDX-License-Identifier: BSD-2-Clause */
/* When the devices of a system are disconnected that a soft reboot ends. */
#include "boot/reroot/reroot.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "port/linux/nbdk.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/say.h"
#include "tests/world/ready.h"
#include "tests/world/nbdk.h"

#define BOOT 3 /* looks until process 1 has another root */

static struct nbd_diag d;
static unsigned looks;	      /* pauses so far */
static unsigned used[300];    /* so many looks each is in use */
static bool gone[300];	      /* disconnected */
static int other = -1;	      /* one that another program connects anew */
static int fails = -1;	      /* one that cannot be disconnected */
static bool hidden, vanishes; /* process 1, at all or for a moment */

int __wrap_fstatat(int at, const char *path, struct stat *st, int flags);
int __wrap_fstatat(int at, const char *path, struct stat *st, int flags)
{
	(void)flags;
	assert_true(at >= 0);
	assert_string_equal(path, "1/root/.");
	if (hidden || (vanishes && looks == 1)) {
		errno = EACCES;
		return -1;
	}
	memset(st, 0, sizeof(*st));
	st->st_dev = looks < BOOT ? 7 : 8;
	return 0;
}

static void paused(int ms)
{
	(void)ms;
	looks++;
	/* what is connected later is the new system's */
	world.devices += looks == 1;
}

static void info(int index, struct nbdk_info *info)
{
	info->connected = !gone[index];
	info->pid = 100 + index;
	if (index == other && looks)
		info->pid = 1;
}

int __wrap_nbdk_release(int index, unsigned ms, struct nbd_diag *why);
int __wrap_nbdk_release(int index, unsigned ms, struct nbd_diag *why)
{
	assert_int_equal(ms, 0);
	/* a service may have closed it only for a moment */
	assert_true(looks >= BOOT);
	assert_false(gone[index]);
	assert_true(index != other);
	if (looks < BOOT + used[index])
		return NBD_E_IN_USE;
	if (index == fails)
		return nbd_diag(why, NBD_E_KERNEL, "no netlink");
	gone[index] = true;
	return 0;
}

static int reset(void **state)
{
	(void)state;
	world = (struct world){ .paused = paused, .info = info };
	looks = 0;
	memset(used, 0, sizeof(used));
	memset(gone, 0, sizeof(gone));
	other = fails = -1;
	hidden = vanishes = false;
	return 0;
}

static void none_is_disconnected_before_another_root_is_entered(void **state)
{
	(void)state;
	world.devices = 3;
	assert_int_equal(reroot_release(&d), 0);
	assert_true(world.ready);
	assert_int_equal(looks, BOOT);
	assert_true(gone[0] && gone[1] && gone[2]);
	/* this is the new root's */
	assert_false(gone[3]);
}

static void one_in_use_is_waited_for(void **state)
{
	(void)state;
	world.devices = 3;
	used[1] = 5;
	assert_int_equal(reroot_release(&d), 0);
	assert_int_equal(looks, BOOT + 5);
	assert_true(gone[0] && gone[1] && gone[2]);
}

static void one_that_another_program_connects_anew_is_left(void **state)
{
	(void)state;
	world.devices = 3;
	other = 1;
	assert_int_equal(reroot_release(&d), 0);
	assert_true(gone[0] && !gone[1] && gone[2]);
}

static void all_that_a_watcher_has_are_disconnected(void **state)
{
	(void)state;
	world.devices = 250;
	used[249] = 1;
	assert_int_equal(reroot_release(&d), 0);
	for (unsigned i = 0; i < 250; i++)
		assert_true(gone[i]);
	assert_int_equal(world.says, 0);
}

static void one_that_stays_connected_is_reported(void **state)
{
	(void)state;
	world.devices = 3;
	fails = 1;
	assert_int_equal(reroot_release(&d), 0);
	assert_true(gone[0] && !gone[1] && gone[2]);
	assert_int_equal(world.says, 1);
}

static void more_are_reported(void **state)
{
	(void)state;
	world.devices = 252;
	assert_int_equal(reroot_release(&d), 0);
	assert_true(gone[249] && !gone[250] && !gone[251]);
	assert_int_equal(world.says, 1);
}

static void a_root_that_cannot_be_seen_is_no_other(void **state)
{
	(void)state;
	world.devices = 1;
	vanishes = true;
	assert_int_equal(reroot_release(&d), 0);
	assert_int_equal(looks, BOOT);
	reset(state);
	world.devices = 1;
	hidden = true;
	assert_int_equal(reroot_release(&d), NBD_E_PERM);
	assert_false(world.ready || gone[0]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			none_is_disconnected_before_another_root_is_entered,
			reset),
		cmocka_unit_test_setup(one_in_use_is_waited_for, reset),
		cmocka_unit_test_setup(
			one_that_another_program_connects_anew_is_left, reset),
		cmocka_unit_test_setup(all_that_a_watcher_has_are_disconnected,
				       reset),
		cmocka_unit_test_setup(one_that_stays_connected_is_reported,
				       reset),
		cmocka_unit_test_setup(more_are_reported, reset),
		cmocka_unit_test_setup(a_root_that_cannot_be_seen_is_no_other,
				       reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
