/* SPDX-License-Identifier: BSD-2-Clause */
/* What a reroot asks of process 1, and where it leaves its files. */
#include "boot/reroot/reroot.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "port/linux/file.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/mount.h"
#include "tests/world/open.h"
#include "tests/world/path.h"
#include "tests/world/tree.h"

static struct nbd_diag d;
static bool forbidden;
static unsigned joined;

int __wrap_setns(int fd, int kind);
int __wrap_setns(int fd, int kind)
{
	assert_true(fd >= 0);
	assert_int_equal(kind, CLONE_NEWNS);
	joined++;
	errno = EPERM;
	return forbidden ? -1 : 0;
}

static int join(bool mounts, bool root)
{
	joined = 0;
	world = (struct world){ .others = WORLD_FAILS };
	world_stat("/proc/1/ns/mnt", (struct stat){ .st_ino = 1 });
	world_stat("/proc/self/ns/mnt", (struct stat){ .st_ino = 1 + mounts });
	world_stat("/proc/1/root", (struct stat){ .st_ino = 1 });
	world_stat("/", (struct stat){ .st_ino = 1 + root });
	return reroot_join(&d);
}

/* ---- busybox ---- */

static void wrote(const char *name, const char *content)
{
	world_note(world.story, sizeof(world.story), "%s:\n%s", name, content);
}

int __wrap_kill(pid_t pid, int signal);
int __wrap_kill(pid_t pid, int signal)
{
	assert_int_equal(pid, 1);
	return world_does("signal %s", signal == SIGHUP ? "HUP" : "QUIT");
}

int __wrap_reroot_replace(const char *verb, struct nbd_diag *diag);
int __wrap_reroot_replace(const char *verb, struct nbd_diag *diag)
{
	(void)diag;
	return world_does("replace %s", verb);
}

static const char *starts(const char *name, bool inittab)
{
	world = (struct world){ .wrote = wrote };
	world_link("/proc/1/exe", "/bin/busybox");
	world_file("/proc/1/comm", name);
	world_file("/etc/inittab",
		   inittab ? "::sysinit:/x\n::restart:/sbin/init\n" : NULL);
	world_file("/run/initramfs/inittab", NULL);
	return reroot_start(REROOT_DOWN, &d) ? "refused" : world.story;
}

static void busybox_is_asked_by_its_inittab(void **state)
{
	(void)state;
	assert_string_equal(
		starts("init\n", true),
		"/run/initramfs/inittab:\n"
		"::sysinit:/x\n"
		"::restart:/run/initramfs/shutdown reboot\n"
		"mount -o bind /run/initramfs/inittab /etc/inittab\n"
		"signal HUP\n"
		"signal QUIT\n");
}

/* busybox takes a last line without a newline, too. */
static void no_line_of_an_inittab_is_lost(void **state)
{
	(void)state;
	world = (struct world){ .wrote = wrote };
	world_link("/proc/1/exe", "/bin/busybox");
	world_file("/proc/1/comm", "init\n");
	world_file("/etc/inittab", "::sysinit:/x\n::shutdown:/y");
	world_file("/run/initramfs/inittab", NULL);
	assert_int_equal(reroot_start(REROOT_DOWN, &d), 0);
	assert_non_null(
		strstr(world.story, "::sysinit:/x\n::shutdown:/y\n::restart:"));
}

/* Its root would keep it, and its init starts nothing from one that is empty. */
static void busybox_without_an_inittab_does_not_get_one(void **state)
{
	(void)state;
	assert_string_equal(starts("init\n", false), "replace reboot\n");
}

static void a_shell_of_busybox_is_not_its_init(void **state)
{
	(void)state;
	assert_string_equal(starts("sh\n", true), "refused");
	assert_string_equal(starts("sh\n", false), "refused");
	assert_non_null(strstr(d.text, "process 1 is sh"));
}

/* ---- its program ---- */

int __wrap_init_shutdown_copy(const char *from, const char *to, unsigned mode);
int __wrap_init_shutdown_copy(const char *from, const char *to, unsigned mode)
{
	assert_string_equal(from, "/proc/self/exe");
	assert_int_equal(mode, 0755);
	return world_does("copy to %s", to) ? NBD_E_IO : 0;
}

/* Without it the present system could not be shut down. */
static void
the_program_of_the_shutdown_stays_if_it_cannot_be_renewed(void **state)
{
	(void)state;
	world = (struct world){ .others = WORLD_FAILS };
	world_file("/run/initramfs/oldroot", "");
	world_refuses("copy *", ENOSPC, 0);
	assert_int_equal(reroot_prepare(&d), NBD_E_IO);
	assert_non_null(strstr(d.text, "No space left"));
	assert_string_equal(world.story, "copy to /run/initramfs/shutdown\n");
}

/* ---- its mounts ---- */

static void the_mounts_of_process_1_are_joined(void **state)
{
	(void)state;
	assert_int_equal(join(true, false), 0);
	assert_int_equal(joined, 1);
	assert_int_equal(join(false, true), 0);
	assert_int_equal(joined, 1);
}

static void a_process_that_has_them_needs_no_right_to_join(void **state)
{
	(void)state;
	forbidden = true;
	assert_int_equal(join(false, false), 0);
	assert_int_equal(joined, 0);
	forbidden = false;
}

static void a_process_that_may_not_join_is_refused(void **state)
{
	(void)state;
	forbidden = true;
	assert_int_equal(join(true, false), NBD_E_PERM);
	assert_non_null(strstr(d.text, "PrivateTmp="));
	forbidden = false;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(busybox_is_asked_by_its_inittab),
		cmocka_unit_test(no_line_of_an_inittab_is_lost),
		cmocka_unit_test(busybox_without_an_inittab_does_not_get_one),
		cmocka_unit_test(a_shell_of_busybox_is_not_its_init),
		cmocka_unit_test(
			the_program_of_the_shutdown_stays_if_it_cannot_be_renewed),
		cmocka_unit_test(the_mounts_of_process_1_are_joined),
		cmocka_unit_test(
			a_process_that_has_them_needs_no_right_to_join),
		cmocka_unit_test(a_process_that_may_not_join_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
