/* SPDX-License-Identifier: BSD-2-Clause */
/* What is done, and in which order, before systemd's soft-reboot. */
#include "boot/reroot/reroot.h"

#include <errno.h>
#include <unistd.h>

#include "boot/init/beside.h"
#include "boot/init/reroot.h"
#include "boot/init/spawn.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"
#include "tests/unit.h"

#define WORDS "root=nbd://192.0.2.1/x ip=dhcp rw"
#define HEAD  "unmount " NEXTROOT "\n"
#define TAIL  REROOT_LINE ": " WORDS "\n"

static struct nbd_diag d;
static struct nbd_out done;
static char text[4096];
static const char *devices; /* c: connected, -: not */
static int stale;	    /* mounts of earlier tries */
static int beside;	    /* what init_beside() returns */
static int not_ready;	    /* the process of nbdN fails; -1: none */

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

int __wrap_nbdk_next(struct nbdk_iter *it);
int __wrap_nbdk_next(struct nbdk_iter *it)
{
	return devices[it->at] ? it->at++ : NBD_E_NO_DEVICE;
}

int __wrap_nbdk_info(int index, struct nbdk_info *info);
int __wrap_nbdk_info(int index, struct nbdk_info *info)
{
	*info = (struct nbdk_info){ .index = index,
				    .connected = devices[index] == 'c' };
	return devices[index] == 'x' ? NBD_E_NO_DEVICE : NBD_OK;
}

int __wrap_init_beside(const char *words, struct nbd_diag *diag);
int __wrap_init_beside(const char *words, struct nbd_diag *diag)
{
	(void)diag;
	assert_string_equal(words, WORDS);
	note("mount\n");
	/* from now on the new root is one of the devices */
	devices = "cccccccccccccccccccccccccccccccc";
	return beside;
}

void __wrap_init_spawn_start(struct spawned *w, char *command, char *option,
			     int index, const sigset_t *signals);
void __wrap_init_spawn_start(struct spawned *w, char *command, char *option,
			     int index, const sigset_t *signals)
{
	(void)signals;
	w->pid = 1000 + index;
	note("%s %s %d\n", command, option, index);
}

bool __wrap_init_spawn_ready(struct spawned *w);
bool __wrap_init_spawn_ready(struct spawned *w)
{
	return w->pid != 1000 + not_ready;
}

int __wrap_file_write(int dir, const char *path, const void *p, size_t len);
int __wrap_file_write(int dir, const char *path, const void *p, size_t len)
{
	(void)dir;
	note("%s: %.*s\n", path, (int)len, (const char *)p);
	return 0;
}

void __wrap_boot_say(const char *fmt, ...);
void __wrap_boot_say(const char *fmt, ...)
{
	(void)fmt;
	note("message\n");
}

static int soft(const char *present)
{
	devices = present;
	done.len = 0;
	text[0] = '\0';
	return reroot_soft(WORDS, &d);
}

static int reset(void **state)
{
	(void)state;
	stale = beside = 0;
	not_ready = -1;
	return 0;
}

/* ---- the tests ---- */

static void the_devices_of_the_old_system_are_released(void **state)
{
	(void)state;
	assert_int_equal(soft("-cxc"), 0);
	assert_string_equal(text, HEAD "mount\n"
				       "disconnect -w 1\n"
				       "disconnect -w 3\n" TAIL);
}

static void a_system_without_devices_releases_none(void **state)
{
	(void)state;
	assert_int_equal(soft(""), 0);
	assert_string_equal(text, HEAD "mount\n" TAIL);
}

static void what_earlier_tries_left_is_unmounted(void **state)
{
	(void)state;
	stale = 2;
	assert_int_equal(soft(""), 0);
	assert_string_equal(text, "unmount " NEXTROOT "\n"
				  "unmount " NEXTROOT "\n"
				  "unmount " NEXTROOT "\n"
				  "mount\n" TAIL);
}

static void without_the_new_root_the_old_devices_stay(void **state)
{
	(void)state;
	beside = NBD_E_UNREACHABLE;
	assert_int_equal(soft("c"), NBD_E_UNREACHABLE);
	assert_string_equal(text, HEAD "mount\n");
}

static void a_device_that_stays_is_reported(void **state)
{
	(void)state;
	not_ready = 0;
	assert_int_equal(soft("cc"), 0);
	assert_string_equal(text, HEAD "mount\n"
				       "disconnect -w 0\n"
				       "disconnect -w 1\n"
				       "message\n" TAIL);
}

static void more_devices_than_the_table_holds_stay(void **state)
{
	(void)state;
	assert_int_equal(soft("cccccccccccccccccccc"), 0);
	assert_non_null(strstr(text, "disconnect -w 15\n" TAIL));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			the_devices_of_the_old_system_are_released, reset),
		cmocka_unit_test_setup(a_system_without_devices_releases_none,
				       reset),
		cmocka_unit_test_setup(what_earlier_tries_left_is_unmounted,
				       reset),
		cmocka_unit_test_setup(
			without_the_new_root_the_old_devices_stay, reset),
		cmocka_unit_test_setup(a_device_that_stays_is_reported, reset),
		cmocka_unit_test_setup(more_devices_than_the_table_holds_stay,
				       reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
