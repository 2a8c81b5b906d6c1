/* SPDX-License-Identifier: BSD-2-Clause */
/* What is done, and in which order, before systemd's soft-reboot. */
#include "boot/reroot/reroot.h"

#include <errno.h>
#include <sys/mount.h>
#include <unistd.h>

#include "boot/reroot/beside.h"
#include "boot/reroot/after.h"
#include "boot/init/shutdown.h"
#include "boot/init/spawn.h"
#include "port/linux/file.h"
#include "port/linux/inside.h"
#include "port/linux/nbdk.h"
#include "tests/unit.h"
#include "tests/world/open.h"
#include "tests/world/say.h"

#define WORDS "root=nbd://192.0.2.1/x ip=dhcp rw"
#define HEAD  "unmount " NEXTROOT "\nreroot --release\nready\n"
#define TAIL                                \
	"bind /run on /run\nprivate /run\n" \
	"bind " SHUTDOWN_HOME " on " SHUTDOWN_HOME "\n"

static struct nbd_diag d;
static struct device_signals held;
static struct reroot_soft s;
static struct nbd_out done;
static char text[4096];
static int stale;	/* mounts of earlier tries */
static int beside;	/* what reroot_beside() returns */
static bool is_ready;	/* the process that releases devices */
static bool no_run;	/* in the new root */
static char opened[64]; /* in it, last */

static void __attribute__((format(printf, 1, 2))) note(const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text + done.len, sizeof(text) - done.len, fmt, ap);
	va_end(ap);
	done.len += (size_t)n;
	assert_true(done.len < sizeof(text));
}

/* ---- the system ---- */

int __wrap_umount2(const char *path, int flags);
int __wrap_umount2(const char *path, int flags)
{
	(void)flags;
	note("unmount %s\n", path);
	return stale-- ? 0 : -1;
}

int __wrap_inside_open(int root, const char *path, bool directory, bool links);
int __wrap_inside_open(int root, const char *path, bool directory, bool links)
{
	assert_true(root >= 0 && directory && links);
	nbd_fmt(opened, sizeof(opened), "%s", path);
	errno = ENOENT;
	return no_run ? -1 : dup(root);
}

int __wrap_mount(const char *from, const char *to, const char *type,
		 unsigned long flags, const void *data);
int __wrap_mount(const char *from, const char *to, const char *type,
		 unsigned long flags, const void *data)
{
	assert_memory_equal(to, "/proc/self/fd/", 14);
	assert_true(!type && !data);
	if (flags == MS_BIND)
		note("bind %s on %s\n", from, opened);
	else
		note("%s %s\n", flags == MS_PRIVATE ? "private" : "wrong",
		     opened);
	return 0;
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
	note("mount\n");
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
	note("%s %s\n", command, option);
}

bool __wrap_init_spawn_ready(struct spawned *w);
bool __wrap_init_spawn_ready(struct spawned *w)
{
	assert_int_equal(w->pid, 1000);
	note("ready\n");
	return is_ready;
}

void __wrap_init_spawn_stop(struct spawned *w);
void __wrap_init_spawn_stop(struct spawned *w)
{
	assert_int_equal(w->pid, 1000);
	note("stop\n");
}

void __wrap_reroot_beside_undo(void);
void __wrap_reroot_beside_undo(void)
{
	note("undo\n");
}

static void say(const char *message)
{
	(void)message;
	note("message\n");
}

static int soft(void)
{
	done.len = 0;
	text[0] = '\0';
	return reroot_soft(&s, WORDS, &held, &d);
}

static int reset(void **state)
{
	(void)state;
	world = (struct world){ .say = say };
	world_link(NEXTROOT, "/");
	no_run = false;
	stale = beside = 0;
	is_ready = true;
	return 0;
}

/* ---- the tests ---- */

/* They are listed before the new root is one of them. */
static void the_devices_of_the_old_system_are_released_later(void **state)
{
	(void)state;
	assert_int_equal(soft(), 0);
	assert_string_equal(text, HEAD "mount\n" TAIL);
}

static void what_earlier_tries_left_is_unmounted(void **state)
{
	(void)state;
	stale = 2;
	assert_int_equal(soft(), 0);
	assert_string_equal(text, "unmount " NEXTROOT "\n"
				  "unmount " NEXTROOT "\n" HEAD "mount\n" TAIL);
}

static void without_the_new_root_the_old_devices_stay(void **state)
{
	(void)state;
	beside = NBD_E_UNREACHABLE;
	assert_int_equal(soft(), NBD_E_UNREACHABLE);
	assert_string_equal(text, HEAD "mount\nstop\n");
}

static void all_of_it_can_be_undone(void **state)
{
	(void)state;
	assert_int_equal(soft(), 0);
	done.len = 0;
	reroot_soft_undo(&s);
	assert_string_equal(text, "stop\nundo\n");
}

static void devices_that_stay_are_reported(void **state)
{
	(void)state;
	is_ready = false;
	assert_int_equal(soft(), 0);
	assert_string_equal(text, HEAD "message\nmount\n" TAIL);
}

/* No reason to stay: it is the server that notices later. */
static void a_way_down_that_stays_behind_is_reported(void **state)
{
	(void)state;
	no_run = true;
	assert_int_equal(soft(), 0);
	assert_string_equal(text, HEAD "mount\nmessage\n");
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
