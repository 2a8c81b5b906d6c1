/* SPDX-License-Identifier: BSD-2-Clause */
/* What is undone of a copy to RAM, in a /sys and a /dev that the test makes. */
#include "tests/unit.h"
#include "tests/world/file.h"
#include "tests/world/mount.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "boot/init/steps.h"
#include "boot/init/toram.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"

extern const struct step init_toram_step;

#define UNMOUNTED "umount -l /run/nbdboot/ram\n"

static char blocks[32]; /* in place of /sys/block */

int __real_dir_open(struct dir *d, const char *path);
int __wrap_dir_open(struct dir *d, const char *path);
int __wrap_dir_open(struct dir *d, const char *path)
{
	assert_string_equal(path, "/sys/block");
	return __real_dir_open(d, blocks);
}

/* A file of a device's number, which holds its name. */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	if (strncmp(path, "/dev/loop", 9) != 0)
		return __real_open(path, flags);
	world_does("open %s", path);
	return __real_open("/dev/null", flags);
}

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	assert_true(fd >= 0);
	assert_int_equal(request, LOOP_CLR_FD);
	return world_does("detach it");
}

static int setup(void **state)
{
	char path[64];

	(void)state;
	world = (struct world){ .others = WORLD_ABSENT };
	world_file("*/loop0/*", "/run/nbdboot/ram/disk.other\n");
	world_file("*/loop3/*", "/run/nbdboot/ram/disk\n");
	strcpy(blocks, "/tmp/toram.XXXXXX");
	assert_non_null(mkdtemp(blocks));
	for (unsigned i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/loop%u", blocks, i);
		close(__real_open(path, O_WRONLY | O_CREAT, 0600));
	}
	return 0;
}

static int cleanup(void **state)
{
	char path[64];

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/loop%u", blocks, i);
		unlink(path);
	}
	return rmdir(blocks);
}

/* It passes nothing back, so the name of its loop device is not known. */
static void what_a_copy_that_was_ended_attached_is_detached(void **state)
{
	static struct boot b;
	struct nbd_diag d;

	(void)state;
	b.cmd.toram = true;
	b.disk[0] = '\0';
	assert_int_equal(init_toram_step.undo(&b, &d), 0);
	/* it holds a file there */
	assert_string_equal(world.story,
			    "open /dev/loop3\ndetach it\n" UNMOUNTED);
}

static void the_name_of_a_disk_that_is_gone_is_forgotten(void **state)
{
	static struct boot b;
	struct nbd_diag d;

	(void)state;
	b.cmd.toram = true;
	strcpy(b.disk, "loop3");
	assert_int_equal(init_toram_step.undo(&b, &d), 0);
	assert_string_equal(b.disk, "");
	assert_string_equal(world.story,
			    "open /dev/loop3\ndetach it\n" UNMOUNTED);
}

static void without_a_copy_nothing_is_undone(void **state)
{
	static struct boot b;
	struct nbd_diag d;

	(void)state;
	assert_int_equal(init_toram_step.undo(&b, &d), 0);
	assert_string_equal(world.story, "");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, cleanup)
	const struct CMUnitTest tests[] = {
		TEST(what_a_copy_that_was_ended_attached_is_detached),
		TEST(the_name_of_a_disk_that_is_gone_is_forgotten),
		TEST(without_a_copy_nothing_is_undone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
