/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules that udev gets of a root on a mapping. */
#include "boot/init/prefetch.h"
#include "boot/system/console.h"
#include "port/linux/file.h"

#include "tests/unit.h"
#include "tests/world/file.h"

#include <errno.h>

#define HIDDEN "/run/udev/rules.d/09-nbdboot.rules = "

static unsigned notes;

void __wrap_boot_note(const char *fmt, ...);
void __wrap_boot_note(const char *fmt, ...)
{
	assert_non_null(strstr(fmt, "cannot be written"));
	notes++;
}

static int begin(void **state)
{
	(void)state;
	world = (struct world){ .others = WORLD_ABSENT };
	notes = 0;
	return 0;
}

static void udev_does_not_look_at_what_a_mapping_is_made_of(void **state)
{
	(void)state;
	init_udev_hide();
	assert_memory_equal(world.written, HIDDEN, sizeof(HIDDEN) - 1);
	assert_non_null(strstr(world.written, "/memfd:nbdboot*"));
	assert_non_null(strstr(world.written,
			       "nbdboot-mirror-*|nbdboot-cache-*|nbdboot-far-*"
			       "\", ENV{SYSTEMD_READY}=\"0\", "));
	/* the last line has its end; another is that of the world */
	assert_memory_equal(strchr(world.written, '\0') - 2, "\n\n", 2);
	assert_int_equal(notes, 0);
}

/* With the links that its own rules make of what the program has found. */
static void udev_reads_a_disk_on_its_mapping(void **state)
{
	(void)state;
	init_udev_divert("nbd12", "dm-3");
	assert_string_equal(
		world.written,
		"/run/udev/rules.d/09-nbdboot-cache.rules = "
		"ACTION!=\"remove\", SUBSYSTEM==\"block\", KERNEL==\"nbd12\", "
		"TEST==\"holders/dm-3\", "
		"IMPORT{program}=\"/sbin/blkid -o udev -p /dev/dm-3\", "
		"ENV{UDEV_DISABLE_PERSISTENT_STORAGE_BLKID_FLAG}=\"1\"\n\n");
}

static void half_a_rule_is_not_written(void **state)
{
	char name[300];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	init_udev_divert(name, "dm-0");
	assert_string_equal(world.written, "");
}

static void rules_that_cannot_be_written_are_a_note(void **state)
{
	(void)state;
	world_file_fails("/run/udev/rules.d/*", EIO);
	init_udev_divert("nbd0", "dm-0");
	assert_int_equal(notes, 1);
	init_udev_hide();
	assert_int_equal(notes, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			udev_does_not_look_at_what_a_mapping_is_made_of, begin),
		cmocka_unit_test_setup(udev_reads_a_disk_on_its_mapping, begin),
		cmocka_unit_test_setup(half_a_rule_is_not_written, begin),
		cmocka_unit_test_setup(rules_that_cannot_be_written_are_a_note,
				       begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
