/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that copies, while the initramfs is left. */
#include "boot/init/cloner.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "boot/device/device.h"
#include "boot/init/clone_target.h"
#include "boot/init/mount.h"
#include "boot/init/steps.h"
#include "boot/init/super.h"
#include "boot/mapper/mapper.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/path.h"
#include "tests/world/ready.h"

int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
int __wrap_fstatat(int dir, const char *path, struct stat *st, int flags);
int __wrap_init_mount_kernel(struct nbd_diag *d);
int __wrap_mapper_below(int index, char path[MAPPER_PATH],
			char below[MAPPER_PATH], uint64_t *sectors,
			struct nbd_diag *d);

static bool has_proc;
static bool is_source; /* what was opened last is the server's */
/* ms; the root is read until then. */
static uint64_t busy_until;

int __wrap_open(const char *path, int flags, ...)
{
	assert_false(world.ready);
	has_proc |= !strcmp(path, "/proc");
	is_source = !strcmp(path, "/dev/zero");
	return __real_open(path, flags, 0);
}

static bool stop(unsigned ms)
{
	(void)ms;
	return true;
}

static void init_goes_on_once_proc_is_open(void **state)
{
	(void)state;
	world_file("/", "");
	assert_false(init_cloner_await(0, stop));
	assert_true(has_proc && world.ready);
}

int __wrap_fstatat(int dir, const char *path, struct stat *st, int flags)
{
	(void)dir, (void)path, (void)flags;
	*st = (struct stat){ .st_dev = 1, .st_ino = 4711 };
	return 0;
}

int __wrap_init_mount_kernel(struct nbd_diag *d)
{
	(void)d;
	return 0;
}

int __wrap_mapper_below(int index, char path[MAPPER_PATH],
			char below[MAPPER_PATH], uint64_t *sectors,
			struct nbd_diag *d)
{
	(void)index, (void)below, (void)sectors, (void)d;
	strcpy(path, "/dev/dm-0");
	return 0;
}

/* The counts of the root, which is read until then. */
static void count(const char *name)
{
	static char text[64];
	uint64_t now = world.now;

	(void)name;
	nbd_fmt(text, sizeof(text), "%8llu 0 0 0\n",
		(unsigned long long)(now < busy_until ? now : busy_until));
	world_file("/sys/block/dm-0/stat", text);
}

static bool pass(unsigned ms)
{
	world.now += ms;
	return false;
}

/* When the copy may begin, ms behind the switch of the root. */
static uint64_t begin(uint64_t busy)
{
	world = (struct world){ .now = 1000, .read = count };
	busy_until = world.now + busy;
	world_file("/", "");
	count(NULL);
	assert_true(init_cloner_await(0, pass));
	return world.now - 1000;
}

static void copy_waits_for_5_s_without_a_read(void **state)
{
	(void)state;
	assert_in_range(begin(20000), 25000, 26000);
	assert_in_range(begin(0), 5000, 11000);
}

static void copy_begins_after_2_minutes_at_the_latest(void **state)
{
	(void)state;
	assert_in_range(begin(1000000), 120000, 121000);
}

/* ---- the disk while no server answers ---- */

int __wrap_init_clone_await(char path[CLONE_PATH], const char *device,
			    struct nbd_diag *d);
int __wrap_init_clone_mark(struct clone_mark *m, const char *path,
			   struct nbd_diag *d);
int __wrap_mapper_local(const char *path, uint64_t sectors,
			char dev[MAPPER_PATH], struct nbd_diag *d);
void __wrap_mapper_unlocal(void);

int __wrap_init_clone_await(char path[CLONE_PATH], const char *device,
			    struct nbd_diag *d)
{
	(void)d;
	nbd_fmt(path, CLONE_PATH, "%s", device);
	return 0;
}

int __wrap_init_clone_mark(struct clone_mark *m, const char *path,
			   struct nbd_diag *d)
{
	(void)path, (void)d;
	*m = (struct clone_mark){ .state = CLONE_COMPLETE,
				  .sectors = 8,
				  .image = "w-1" };
	return 0;
}

int __wrap_mapper_local(const char *path, uint64_t sectors,
			char dev[MAPPER_PATH], struct nbd_diag *d)
{
	(void)path, (void)sectors, (void)d;
	strcpy(dev, "/dev/dm-0");
	return 0;
}

void __wrap_mapper_unlocal(void)
{
}

extern const struct step init_cloner_alone_step;

static bool is_alone(struct boot *b, uint64_t ms)
{
	struct nbd_diag d;

	world.now += ms;
	assert_int_equal(init_cloner_alone_step.run(b, &d), 0);
	return b->local;
}

static void a_clone_that_fails_is_not_all_that_is_tried(void **state)
{
	static struct boot b = { .cmd.clone = "/dev/vda", .index = -1 };
	struct nbd_diag d;

	(void)state;
	world = (struct world){ .now = 1000 };
	world_device("/dev/vda", 254, 0);
	world_link("/sys/dev/block/254:0", "../../devices/x/block/vda");
	assert_false(is_alone(&b, 0));
	assert_false(is_alone(&b, 29000));
	assert_true(is_alone(&b, 1000));
	/* it cannot be mounted: the server may be back */
	assert_int_equal(init_cloner_alone_step.undo(&b, &d), 0);
	assert_false(is_alone(&b, 1000));
	assert_true(is_alone(&b, 30000));
}

/* The cover of a verified root is named after it. */
static void a_clone_has_the_name_of_its_device_and_not_of_a_link(void **state)
{
	static const char *const links[] = { "/dev/disk/by-id/ata-DISK_100G",
					     "/dev/mapper/vg-clone" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		struct boot *b = test_calloc(1, sizeof(*b));

		b->cmd.clone = links[i];
		b->index = -1;
		world = (struct world){ .now = 1000 };
		world_device(links[i], 8, 2);
		world_link("/sys/dev/block/8:2", "../../x/block/sda/sda2");
		assert_false(is_alone(b, 0));
		assert_true(is_alone(b, 30000));
		assert_string_equal(b->disk, "sda2");
		test_free(b);
	}
}

/* ---- the disk, and a server with its image ---- */

int __wrap_device_identify(struct device *dev, int index, struct nbd_diag *d);
int __wrap_init_super_read(struct super *s, int fd);
int __wrap_nbdk_disconnect(int index, struct nbd_diag *d);

static bool disk_has, source_has; /* a file system */

int __wrap_device_identify(struct device *dev, int index, struct nbd_diag *d)
{
	static char identity[] = "w-1";

	(void)index, (void)d;
	dev->b.identity = identity;
	return 0;
}

int __wrap_init_super_read(struct super *s, int fd)
{
	(void)s, (void)fd;
	return (is_source ? source_has : disk_has) ? 0 : NBD_E_NOT_FOUND;
}

int __wrap_nbdk_disconnect(int index, struct nbd_diag *d)
{
	(void)index, (void)d;
	return 0;
}

extern const struct step init_cloner_local_step;

static bool is_local(bool disk, bool source)
{
	struct boot *b = test_calloc(1, sizeof(*b));
	struct nbd_diag d;
	bool local;

	b->cmd.clone = "/dev/null";
	strcpy(b->dev, "/dev/zero");
	disk_has = disk;
	source_has = source;
	world = (struct world){ .now = 1000 };
	world_device("/dev/null", 254, 0);
	world_link("/sys/dev/block/254:0", "../../devices/x/block/vda");
	world_file("/sys/class/block/zero/size", "8\n");
	assert_int_equal(init_cloner_local_step.run(b, &d), 0);
	local = b->local;
	test_free(b);
	return local;
}

/* wipefs(8) leaves the mark, and a boot of what it leaves fails each time. */
static void a_clone_that_was_wiped_is_not_the_root(void **state)
{
	(void)state;
	assert_true(is_local(true, true));
	/* of a kind that is not known here */
	assert_true(is_local(false, false));
	assert_false(is_local(false, true));
}

/* No try may have got as far as to expand the root. */
static void a_clone_alone_is_mounted_as_the_words_say(void **state)
{
	static struct boot b = { .cmd.clone = "/dev/vda",
				 .index = -1,
				 .spec.fstype = "btrfs",
				 .spec.options = "subvol=@" };

	(void)state;
	world = (struct world){ .now = 1000 };
	world_device("/dev/vda", 254, 0);
	world_link("/sys/dev/block/254:0", "../../devices/x/block/vda");
	assert_false(is_alone(&b, 0));
	assert_true(is_alone(&b, 30000));
	assert_string_equal(b.root.fstype, "btrfs");
	assert_string_equal(b.root.options, "subvol=@");
	/* that of DHCP has both */
	b.root.options = "compress,subvol=@";
	assert_true(is_alone(&b, 30000));
	assert_string_equal(b.root.options, "compress,subvol=@");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(init_goes_on_once_proc_is_open),
		cmocka_unit_test(copy_waits_for_5_s_without_a_read),
		cmocka_unit_test(copy_begins_after_2_minutes_at_the_latest),
		cmocka_unit_test(a_clone_that_fails_is_not_all_that_is_tried),
		cmocka_unit_test(a_clone_that_was_wiped_is_not_the_root),
		cmocka_unit_test(a_clone_alone_is_mounted_as_the_words_say),
		cmocka_unit_test(
			a_clone_has_the_name_of_its_device_and_not_of_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
