/* SPDX-License-Identifier: BSD-2-Clause */
/* What a reroot asks of process 1, and where it leaves its files. */
#include "boot/reroot/reroot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "port/linux/file.h"
#include "tests/unit.h"

static struct nbd_diag d;
static bool other_mounts, other_root; /* than those of process 1 */
static bool forbidden;
static unsigned joined;

int __wrap_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st)
{
	*st = (struct stat){ .st_ino = 1 };
	if (!strcmp(path, "/proc/self/ns/mnt"))
		st->st_ino += other_mounts;
	else if (!strcmp(path, "/"))
		st->st_ino += other_root;
	return 0;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	assert_string_equal(path, "/proc/1/ns/mnt");
	return __real_open("/dev/null", flags);
}

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
	other_mounts = mounts;
	other_root = root;
	return reroot_join(&d);
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
		cmocka_unit_test(the_mounts_of_process_1_are_joined),
		cmocka_unit_test(
			a_process_that_has_them_needs_no_right_to_join),
		cmocka_unit_test(a_process_that_may_not_join_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
