/* SPDX-License-Identifier: BSD-2-Clause */
/* The users of a device, in made-up trees of sysfs and /proc. */
#include "port/linux/nbdk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/unit.h"
#include "tests/world/open.h"

static char root[64], sys[80], proc[80];
static char text[NBDK_USER_MAX];
static uint64_t behind; /* the device that loop7 is in front of */

/* Of what is open, 5 is nbd1p2, 6 another disk; other files are none. */
int __wrap_fstatat(int at, const char *name, struct stat *st, int flags);
int __wrap_fstatat(int at, const char *name, struct stat *st, int flags)
{
	const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;

	(void)at, (void)flags;
	memset(st, 0, sizeof(*st));
	st->st_mode = S_IFBLK;
	if (!strcmp(base, "5"))
		st->st_rdev = makedev(259, 2);
	else if (!strcmp(base, "6"))
		st->st_rdev = makedev(8, 0);
	else
		st->st_mode = S_IFREG;
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct loop_info64 *info;
	va_list ap;

	assert_true(fd >= 0);
	assert_true(request == LOOP_GET_STATUS64);
	va_start(ap, request);
	info = va_arg(ap, struct loop_info64 *);
	va_end(ap);
	info->lo_rdevice = behind;
	return 0;
}

static void put(const char *name, const char *data, const char *link)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	if (link) {
		assert_int_equal(symlink(link, path), 0);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, strlen(data)), strlen(data));
	close(fd);
}

#define DISKS "../../devices/virtual/block/"

static int make_trees(void **state)
{
	(void)state;
	world.others = WORLD_REAL;
	world_link("/dev/loop7", "/dev/null");
	strcpy(root, "/tmp/test_users.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(sys, sizeof(sys), "%s/block", root);
	snprintf(proc, sizeof(proc), "%s/proc", root);
	nbdk_sys = sys;
	nbdk_proc = proc;
	behind = 0;
	put("dev/block/43:32", NULL, DISKS "nbd1");
	put("dev/block/259:2", NULL, DISKS "nbd1/nbd1p2");
	put("dev/block/43:352", NULL, DISKS "nbd11");
	put("dev/block/8:0", NULL, "../../devices/pci/block/sda");
	put("block/nbd1/nbd1p2/dev", "259:2\n", NULL);
	put("block/loop0/dev", "7:0\n", NULL);
	put("proc/77/comm", "qemu\n", NULL);
	put("proc/77/fd/0", "", NULL);
	put("proc/77/fd/6", "", NULL);
	put("proc/77/ns/mnt", NULL, "mnt:[1]");
	put("proc/77/mountinfo", "22 1 8:0 / / rw - ext4 /dev/sda rw\n", NULL);
	put("proc/swaps", "Filename Type Size\n/dev/6\tpartition\t1\n", NULL);
	put("proc/self/fd/5", "", NULL);
	return 0;
}

static int drop_trees(void **state)
{
	char cmd[100];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", root);
	return system(cmd);
}

static void assert_user(int index, const char *who)
{
	enum nbdk_use use = !who		    ? NBDK_UNUSED
			    : strstr(who, " (pid ") ? NBDK_OPEN
						    : NBDK_CLAIMED;

	assert_int_equal(nbdk_user(index, 0, text), use);
	assert_string_equal(text, who ? who : "");
}

static void an_idle_device_has_no_user(void **state)
{
	(void)state;
	assert_user(1, NULL);
	assert_user(11, NULL);
	/* without sysfs and /proc none is found */
	nbdk_sys = nbdk_proc = "/nonexistent";
	assert_user(1, NULL);
}

static void a_process_that_has_a_partition_open_uses_the_disk(void **state)
{
	(void)state;
	put("proc/77/fd/5", "", NULL);
	assert_user(1, "qemu (pid 77)");
	assert_user(11, NULL);
	assert_false(nbdk_user(1, 77, text));
}

static void another_device_on_top_is_named(void **state)
{
	(void)state;
	put("block/nbd1/nbd1p2/holders/dm-3", "", NULL);
	assert_user(1, "dm-3");
	put("block/nbd11/holders/md0", "", NULL);
	assert_user(11, "md0");
}

static void a_loop_device_in_front_is_named(void **state)
{
	(void)state;
	behind = makedev(8, 0);
	put("block/loop7/loop/backing_file", "/dev/nbd1\n", NULL);
	assert_user(1, NULL);
	behind = makedev(43, 352);
	assert_user(1, NULL);
	assert_user(11, "loop7");
}

static void swap_is_named(void **state)
{
	(void)state;
	put("proc/swaps", "Filename Type\n/dev/6 partition\n/dev/5 partition\n",
	    NULL);
	assert_user(1, "swap");
}

/* Does the directory list this process first?  tmpfs does so for the newest. */
static bool lists_first(const char *pid, const char *other)
{
	DIR *dir = opendir(proc);
	const struct dirent *entry;
	bool first;

	assert_non_null(dir);
	do {
		entry = readdir(dir);
		assert_non_null(entry);
		first = !strcmp(entry->d_name, pid);
	} while (!first && strcmp(entry->d_name, other));
	closedir(dir);
	return first;
}

static void mounts_of_each_namespace_are_read_once(void **state)
{
	static const char it[] = "9 1 43:32 / / rw - ext4 /dev/nbd1 rw\n",
			  none[] = "22 1 8:0 / / rw - ext4 /dev/sda rw\n";
	bool first;

	(void)state;
	/* both are in one namespace: those of the second one are not read */
	put("proc/78/ns/mnt", NULL, "mnt:[1]");
	first = lists_first("78", "77");
	put("proc/77/mountinfo", first ? it : none, NULL);
	put("proc/78/mountinfo", first ? none : it, NULL);
	assert_user(1, NULL);
	put("proc/79/ns/mnt", NULL, "mnt:[2]");
	put("proc/79/mountinfo",
	    "9 1 0:5 / /dev rw - devtmpfs dev rw\n"
	    "10 9 259:2 /a /mnt/b rw shared:1 - ext4 /dev/x rw\n",
	    NULL);
	assert_user(1, "the mount on /mnt/b (of pid 79)");
	assert_user(11, NULL);
}

/*
 * Its mounts have numbers of their own.  No path in the line may be taken for
 * the device.
 */
static void a_btrfs_is_known_by_its_source(void **state)
{
	(void)state;
	put("proc/77/mountinfo",
	    "9 1 0:44 /@ /dev/nbd1 rw - btrfs /dev/nbd11p1 rw\n", NULL);
	assert_user(1, NULL);
	assert_user(11, "the mount on /dev/nbd1 (of pid 77)");
}

static void lists_may_be_longer_than_a_buffer(void **state)
{
	static char list[20000];
	size_t at;

	(void)state;
	for (at = 0; at < 9000; at += strlen(list + at))
		strcpy(list + at, "22 1 8:0 / /x rw - ext4 /dev/sda rw\n");
	strcpy(list + at, "22 1 43:32 / /y rw - ext4 /dev/nbd1 rw\n");
	put("proc/77/mountinfo", list, NULL);
	assert_user(1, "the mount on /y (of pid 77)");
	/* and so may a line: it is no reason to hang */
	memset(list, 'x', sizeof(list) - 1);
	put("proc/77/mountinfo", list, NULL);
	assert_user(1, NULL);
}

static void text_that_is_too_long_is_cut(void **state)
{
	static char list[600];

	(void)state;
	snprintf(list, sizeof(list),
		 "9 1 43:32 / /%0400d rw - ext4 /dev/nbd1 rw\n", 0);
	put("proc/77/mountinfo", list, NULL);
	assert_true(nbdk_user(1, 0, text));
	assert_int_equal(strlen(text), NBDK_USER_MAX - 1);
}

#define TREES(f) cmocka_unit_test_setup_teardown(f, make_trees, drop_trees)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TREES(an_idle_device_has_no_user),
		TREES(a_process_that_has_a_partition_open_uses_the_disk),
		TREES(another_device_on_top_is_named),
		TREES(a_loop_device_in_front_is_named),
		TREES(swap_is_named),
		TREES(mounts_of_each_namespace_are_read_once),
		TREES(a_btrfs_is_known_by_its_source),
		TREES(lists_may_be_longer_than_a_buffer),
		TREES(text_that_is_too_long_is_cut),
	};

	return cmocka_run_group_tests_name("nbdk_users", tests, NULL, NULL);
}
