/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that copies, while the initramfs is left. */
#include "boot/init/cloner.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "boot/init/mount.h"
#include "boot/mapper/mapper.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/file.h"
#include "tests/world/ready.h"

int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
int __wrap_fstatat(int dir, const char *path, struct stat *st, int flags);
int __wrap_init_mount_kernel(struct nbd_diag *d);
int __wrap_mapper_below(int index, char path[MAPPER_PATH],
			char below[MAPPER_PATH], uint64_t *sectors,
			struct nbd_diag *d);

static bool has_proc;
/* ms; the root is read until then. */
static uint64_t busy_until;

int __wrap_open(const char *path, int flags, ...)
{
	assert_false(world.ready);
	has_proc |= !strcmp(path, "/proc");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(init_goes_on_once_proc_is_open),
		cmocka_unit_test(copy_waits_for_5_s_without_a_read),
		cmocka_unit_test(copy_begins_after_2_minutes_at_the_latest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
