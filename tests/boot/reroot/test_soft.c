/* SPDX-License-Identifier: BSD-2-Clause */
/* What is done, and in which order, before systemd's soft-reboot. */
#include "boot/reroot/reroot.h"

#include <errno.h>
#include <unistd.h>

#include "boot/reroot/beside.h"
#include "boot/reroot/after.h"
#include "boot/init/shutdown.h"
#include "boot/init/spawn.h"
#include "port/linux/file.h"
#include "port/linux/inside.h"
#include "port/linux/nbdk.h"
#include "tests/unit.h"
#include "tests/world/mount.h"
#include "tests/world/open.h"
#include "tests/world/say.h"

#define WORDS "root=nbd://192.0.2.1/x ip=dhcp rw"
#define CLEAN "umount -l " NEXTROOT "\n"
#define HEAD  CLEAN "reroot --release\nready\n"
#define AT    " /proc/self/fd/77\n" /* what was opened last */
#define TAIL                                                                \
	"open /run\nmount -o bind /run" AT "open /run\nmount -o private" AT \
	"open " SHUTDOWN_HOME "\n"                                          \
	"mount -o bind " SHUTDOWN_HOME AT

static struct nbd_diag d;
static struct device_signals held;
static struct reroot_soft s;
static int beside;    /* what reroot_beside() returns */
static bool is_ready; /* the process that releases devices */

/* ---- the system ---- */

int __wrap_inside_open(int root, const char *path, bool directory, bool links);
int __wrap_inside_open(int root, const char *path, bool directory, bool links)
{
	assert_true(root >= 0 && directory && links);
	return world_does("open %s", path) ? -1 : dup2(root, 77);
}

int __wrap_reroot_beside(const char *words,
			 const struct device_signals *signals,
			 struct nbd_diag *diag);
int __wrap_reroot_beside(const char *words,
			 const struct device_signals *signals,
			 struct nbd_diag *diag)
{
	(void)diag;
	assert_ptr_equal(signals, &held);
	assert_string_equal(words, WORDS);
	world_does("mount");
	return beside;
}

void __wrap_init_spawn_start(struct spawned *w, char *command, char *option,
			     int index, const struct spawner *by);
void __wrap_init_spawn_start(struct spawned *w, char *command, char *option,
			     int index, const struct spawner *by)
{
	assert_ptr_equal(by->signals, &held.before);
	assert_non_null(by->leave);
	assert_int_equal(index, -1);
	w->pid = 1000;
	world_does("%s %s", command, option);
}

bool __wrap_init_spawn_ready(struct spawned *w);
bool __wrap_init_spawn_ready(struct spawned *w)
{
	assert_int_equal(w->pid, 1000);
	world_does("ready");
	return is_ready;
}

void __wrap_init_spawn_stop(struct spawned *w);
void __wrap_init_spawn_stop(struct spawned *w)
{
	assert_int_equal(w->pid, 1000);
	world_does("stop");
}

void __wrap_reroot_beside_undo(void);
void __wrap_reroot_beside_undo(void)
{
	world_does("undo");
}

static void say(const char *message)
{
	(void)message;
	world_does("message");
}

static int soft(void)
{
	return reroot_soft(&s, WORDS, &held, &d);
}

static int reset(void **state)
{
	(void)state;
	world = (struct world){ .say = say };
	world_link(NEXTROOT, "/");
	world_refuses("umount *", EINVAL, 0);
	beside = 0;
	is_ready = true;
	return 0;
}

/* ---- the tests ---- */

/* They are listed before the new root is one of them. */
static void the_devices_of_the_old_system_are_released_later(void **state)
{
	(void)state;
	assert_int_equal(soft(), 0);
	assert_string_equal(world.story, HEAD "mount\n" TAIL);
}

static void what_earlier_tries_left_is_unmounted(void **state)
{
	(void)state;
	world.refusals[0].done = 2;
	assert_int_equal(soft(), 0);
	assert_string_equal(world.story, CLEAN CLEAN HEAD "mount\n" TAIL);
}

static void without_the_new_root_the_old_devices_stay(void **state)
{
	(void)state;
	beside = NBD_E_UNREACHABLE;
	assert_int_equal(soft(), NBD_E_UNREACHABLE);
	assert_string_equal(world.story, HEAD "mount\nstop\n");
}

static void all_of_it_can_be_undone(void **state)
{
	(void)state;
	assert_int_equal(soft(), 0);
	*world.story = '\0';
	reroot_soft_undo(&s);
	assert_string_equal(world.story, "stop\nundo\n");
}

static void devices_that_stay_are_reported(void **state)
{
	(void)state;
	is_ready = false;
	assert_int_equal(soft(), 0);
	assert_string_equal(world.story, HEAD "message\nmount\n" TAIL);
}

/* No reason to stay: it is the server that notices later. */
static void a_way_down_that_stays_behind_is_reported(void **state)
{
	(void)state;
	world_refuses("open *", ENOENT, 0);
	assert_int_equal(soft(), 0);
	assert_string_equal(world.story, HEAD "mount\nopen /run\nmessage\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			the_devices_of_the_old_system_are_released_later,
			reset),
		cmocka_unit_test_setup(what_earlier_tries_left_is_unmounted,
				       reset),
		cmocka_unit_test_setup(
			without_the_new_root_the_old_devices_stay, reset),
		cmocka_unit_test_setup(all_of_it_can_be_undone, reset),
		cmocka_unit_test_setup(devices_that_stay_are_reported, reset),
		cmocka_unit_test_setup(a_way_down_that_stays_behind_is_reported,
				       reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
