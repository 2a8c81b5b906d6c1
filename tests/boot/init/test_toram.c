/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is attached of a copy to RAM, and undone, in a /sys and a /dev that the
 * test makes.
 */
#include "tests/unit.h"
#include "tests/world/file.h"
#include "tests/world/mount.h"
#include "tests/world/tree.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "boot/copy/copy.h"
#include "boot/copy/link.h"

#include "boot/init/steps.h"
#include "boot/init/toram.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"

extern const struct step init_toram_step;

#define UNMOUNTED "umount -l /run/nbdboot/ram\n"

static char blocks[32]; /* in place of /sys/block */
static char image[32];	/* of the copy; "": there is none */

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
	if (*image && !strcmp(path, "/run/nbdboot/ram/disk"))
		path = image;
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
		remove(path);
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

/* ---- a copy ---- */

static uint32_t sector;

static void leave(struct side *s)
{
	(void)s;
}

static const struct side_ops ops = { .close = leave };

int __wrap_copy_side_open_nbd(struct side *s, struct copy_link *l,
			      const struct nbd_uri *uri,
			      const struct copy_options *o, struct nbd_diag *d);
int __wrap_copy_side_open_nbd(struct side *s, struct copy_link *l,
			      const struct nbd_uri *uri,
			      const struct copy_options *o, struct nbd_diag *d)
{
	(void)uri, (void)o, (void)d;
	*s = (struct side){ .ops = &ops, .link = l, .size = 1 << 20 };
	return 0;
}

int __wrap_copy_side_open_file(struct side *s, const char *name, bool output,
			       struct nbd_diag *d);
int __wrap_copy_side_open_file(struct side *s, const char *name, bool output,
			       struct nbd_diag *d)
{
	(void)name, (void)output, (void)d;
	*s = (struct side){ .ops = &ops };
	return 0;
}

int __wrap_copy_run(struct copy *c, const struct copy_options *o,
		    uint64_t *done);
int __wrap_copy_run(struct copy *c, const struct copy_options *o,
		    uint64_t *done)
{
	(void)c, (void)o, (void)done;
	return 0;
}

int __wrap_loop_attach(const char *file, uint32_t flags, uint32_t size,
		       char disk[LOOP_NAME], struct nbd_diag *d);
int __wrap_loop_attach(const char *file, uint32_t flags, uint32_t size,
		       char disk[LOOP_NAME], struct nbd_diag *d)
{
	(void)file, (void)d;
	assert_int_equal(flags, LO_FLAGS_PARTSCAN);
	sector = size;
	strcpy(disk, "loop3");
	return __real_open("/dev/null", O_RDONLY);
}

/* Its partitions are found with the sectors of its table only. */
static void the_copy_has_the_sectors_of_its_table(void **state)
{
	static const unsigned char mbr[] = { 0, 0, 0, 0, 0xee, 0, 0, 0, 1 };
	static const unsigned char head[92] = "EFI PART\0\0\1\0\x5c";
	unsigned char gpt[92];
	static struct root_spec r = { .uris = 1 };
	char disk[LOOP_NAME];
	struct nbd_diag d;
	int fd = memfd_create("image", MFD_CLOEXEC);

	(void)state;
	nbd_uri_init(&r.uri[0]);
	snprintf(image, sizeof(image), "/proc/self/fd/%d", fd);
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_int_equal(init_toram_copy(disk, &r, &d), 0);
	assert_int_equal(sector, 0);
	pwrite(fd, mbr, sizeof(mbr), 446);
	pwrite(fd, "\x55\xaa", 2, 510);
	memcpy(gpt, head, sizeof(gpt));
	gpt[72] = 2;
	gpt[80] = gpt[84] = 128;
	assert_int_equal(pwrite(fd, gpt, sizeof(gpt), 4096), sizeof(gpt));
	assert_int_equal(init_toram_copy(disk, &r, &d), 0);
	assert_string_equal(disk, "loop3");
	assert_int_equal(sector, 4096);
	close(fd);
	image[0] = '\0';
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, cleanup)
	const struct CMUnitTest tests[] = {
		TEST(what_a_copy_that_was_ended_attached_is_detached),
		TEST(the_name_of_a_disk_that_is_gone_is_forgotten),
		TEST(without_a_copy_nothing_is_undone),
		TEST(the_copy_has_the_sectors_of_its_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
