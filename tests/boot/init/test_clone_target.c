/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a disk begins as a copy that was cut short. */
#include "boot/init/clone_target.h"
#include "port/linux/dir.h"
#include "tests/boot/init/image.h"
#include "tests/world/path.h"

#define SECTOR 512

/* What is in /sys/block: an NVMe disk, and the path to it. */
static const char *const block[] = { "nvme0c0n1", "nvme0n1" };

int __wrap_dir_open(struct dir *dir, const char *path);
int __wrap_dir_open(struct dir *dir, const char *path)
{
	assert_string_equal(path, "/sys/block");
	dir->at = 0;
	return 0;
}

const char *__wrap_dir_next(struct dir *dir);
const char *__wrap_dir_next(struct dir *dir)
{
	return dir->at < (int)ARRAY_SIZE(block) ? block[dir->at++] : NULL;
}

void __wrap_dir_close(struct dir *dir);
void __wrap_dir_close(struct dir *dir)
{
	(void)dir;
}

/* Each sector differs, and none is a superblock. */
static int source_of(off_t size)
{
	char sector[SECTOR];
	int fd = image(size);

	for (off_t at = 0; at < size; at += SECTOR) {
		memset(sector, 1 + (int)(at / SECTOR % 251), sizeof(sector));
		put(fd, at, sector, sizeof(sector));
	}
	return fd;
}

/* copy_sectors(): those of which the number is a multiple of step */
static void copy_sectors(int from, int to, off_t step)
{
	char sector[SECTOR];

	for (off_t at = 0; at < MIB; at += step * SECTOR) {
		assert_int_equal(pread(from, sector, SECTOR, at), SECTOR);
		put(to, at, sector, SECTOR);
	}
}

static bool is_begun(int disk, int source)
{
	return init_clone_eyes.is_begun(disk, source);
}

static void a_blank_disk_is_begun(void **state)
{
	int source = source_of(MIB), disk = image(MIB);

	(void)state;
	assert_true(is_begun(disk, source));
	close(disk);
	close(source);
}

static void a_disk_that_lost_some_sectors_is_begun(void **state)
{
	int source = source_of(MIB);

	(void)state;
	for (off_t step = 1; step < 2048; step *= 3) {
		int disk = image(MIB);

		copy_sectors(source, disk, step);
		assert_true(is_begun(disk, source));
		close(disk);
	}
	close(source);
}

static void a_source_that_was_written_to_since_is_the_same(void **state)
{
	int source = source_of(MIB), disk = image(MIB);

	(void)state;
	copy_sectors(source, disk, 2);
	for (off_t i = 0; i < 900; i++)
		put(source, i * SECTOR, "new", 3);
	assert_true(is_begun(disk, source));
	close(disk);
	close(source);
}

static void what_others_wrote_there_is_kept(void **state)
{
	int source = source_of(MIB), disk = image(MIB);

	(void)state;
	/* one sector of which nothing is known */
	put(disk, 4096, "data", 4);
	assert_false(is_begun(disk, source));
	/* most of it has to be of the image */
	copy_sectors(source, disk, 512);
	put(disk, 4096, "data", 4);
	assert_true(is_begun(disk, source));
	for (off_t at = SECTOR; at < 32L * SECTOR; at += SECTOR)
		put(disk, at, "data", 4);
	assert_false(is_begun(disk, source));
	close(disk);
	close(source);
}

static void a_copy_below_something_known_is_kept(void **state)
{
	int source = source_of(MIB), disk = image(MIB);

	(void)state;
	copy_sectors(source, disk, 1);
	put(disk, 0, "LUKS\xba\xbe\0\2", 8);
	assert_false(is_begun(disk, source));
	close(disk);
	close(source);
}

static void a_disk_or_source_that_cannot_be_read_is_not_begun(void **state)
{
	int source = source_of(MIB), disk = image(MIB), less = source_of(4096);

	(void)state;
	copy_sectors(source, disk, 1);
	assert_false(is_begun(-1, source));
	assert_false(is_begun(disk, -1));
	assert_false(is_begun(disk, less));
	assert_false(is_begun(less, source));
	close(less);
	close(disk);
	close(source);
}

/* It has no UUID: what is in its superblock says which one it is. */
static void a_squashfs_that_was_cut_short_is_begun(void **state)
{
	int source = source_of(MIB), disk = image(MIB);

	(void)state;
	put(source, 0, "hsqs", 4);
	copy_sectors(source, disk, 1);
	assert_true(is_begun(disk, source));
	put(disk, 8, "another time", 12);
	assert_false(is_begun(disk, source));
	close(disk);
	close(source);
}

/* A whole disk of which the name has all the room, and a partition of it. */
static void a_long_name_is_not_cut_to_that_of_another_disk(void **state)
{
	char disk[CLONE_PATH], device[CLONE_PATH + 8], path[CLONE_PATH];
	struct nbd_diag d;

	(void)state;
	memset(disk, 'x', sizeof(disk) - 1);
	disk[sizeof(disk) - 1] = '\0';
	memcpy(disk, "/dev/disk/by-id/", 16);
	world_file(disk, "");
	assert_int_equal(init_clone_find(path, disk, &d), NBD_OK);
	assert_string_equal(path, disk);
	nbd_fmt(device, sizeof(device), "%s-part2", disk);
	world_file(device, "");
	assert_int_equal(init_clone_find(path, device, &d), NBD_E_USAGE);
}

static void a_path_to_a_disk_is_no_other_disk(void **state)
{
	char path[CLONE_PATH];
	struct nbd_diag d;

	(void)state;
	world = (struct world){ .others = WORLD_ABSENT };
	world_file("/sys/block/nvme0*n1/device/serial", "S4EW  \n");
	assert_int_equal(init_clone_find(path, "serial=S4EW", &d),
			 NBD_E_NOT_FOUND);
	/* with CONFIG_NVME_MULTIPATH nobody can open it */
	world_file("/sys/block/nvme0c0n1/hidden", "1\n");
	assert_int_equal(init_clone_find(path, "serial=S4EW", &d), NBD_OK);
	assert_string_equal(path, "/dev/nvme0n1");
}

/* Of PARTLABEL= or serial= nobody knows which one that is. */
static void a_damaged_mark_is_reported_with_its_device(void **state)
{
	int disk = image(4 * MIB);
	char path[CLONE_PATH];
	struct clone_mark m;
	struct nbd_diag d;

	(void)state;
	put(disk, (off_t)clone_mark_at(4 * MIB), "nbdboot-clone 2", 15);
	nbd_fmt(path, sizeof(path), "/proc/self/fd/%d", disk);
	assert_int_equal(init_clone_mark(&m, path, &d), NBD_E_MISMATCH);
	assert_memory_equal(d.text, path, strlen(path));
	close(disk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_blank_disk_is_begun),
		cmocka_unit_test(a_disk_that_lost_some_sectors_is_begun),
		cmocka_unit_test(
			a_source_that_was_written_to_since_is_the_same),
		cmocka_unit_test(what_others_wrote_there_is_kept),
		cmocka_unit_test(a_copy_below_something_known_is_kept),
		cmocka_unit_test(
			a_disk_or_source_that_cannot_be_read_is_not_begun),
		cmocka_unit_test(a_squashfs_that_was_cut_short_is_begun),
		cmocka_unit_test(
			a_long_name_is_not_cut_to_that_of_another_disk),
		cmocka_unit_test(a_path_to_a_disk_is_no_other_disk),
		cmocka_unit_test(a_damaged_mark_is_reported_with_its_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
