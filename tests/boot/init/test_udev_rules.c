/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules that udev gets of a root on a mapping. */
#include "boot/init/prefetch.h"
#include "boot/system/console.h"
#include "port/linux/file.h"

#include "tests/unit.h"

static struct {
	char name[64], text[1024];
	int result; /* of file_save() */
	unsigned saves, notes;
} play;

void __wrap_boot_note(const char *fmt, ...);
void __wrap_boot_note(const char *fmt, ...)
{
	assert_non_null(strstr(fmt, "cannot be written"));
	play.notes++;
}

int __wrap_file_save(int at, const char *path, const void *data, size_t len);
int __wrap_file_save(int at, const char *path, const void *data, size_t len)
{
	(void)at;
	assert_in_range(len, 1, sizeof(play.text) - 1);
	snprintf(play.name, sizeof(play.name), "%s", path);
	snprintf(play.text, sizeof(play.text), "%.*s", (int)len,
		 (const char *)data);
	play.saves++;
	return play.result;
}

static int begin(void **state)
{
	(void)state;
	memset(&play, 0, sizeof(play));
	return 0;
}

static void udev_does_not_look_at_what_a_mapping_is_made_of(void **state)
{
	(void)state;
	init_udev_hide();
	assert_string_equal(play.name, "/run/udev/rules.d/09-nbdboot.rules");
	assert_non_null(strstr(play.text, "/memfd:nbdboot*"));
	assert_non_null(strstr(play.text,
			       "nbdboot-mirror-*|nbdboot-cache-*|nbdboot-far-*"
			       "\", ENV{SYSTEMD_READY}=\"0\", "));
	assert_int_equal(play.text[strlen(play.text) - 1], '\n');
	assert_int_equal(play.notes, 0);
}

/* With the links that its own rules make of what the program has found. */
static void udev_reads_a_disk_on_its_mapping(void **state)
{
	(void)state;
	init_udev_divert("nbd12", "dm-3");
	assert_string_equal(play.name,
			    "/run/udev/rules.d/09-nbdboot-cache.rules");
	assert_string_equal(
		play.text,
		"ACTION!=\"remove\", SUBSYSTEM==\"block\", KERNEL==\"nbd12\", "
		"TEST==\"holders/dm-3\", "
		"IMPORT{program}=\"/sbin/blkid -o udev -p /dev/dm-3\", "
		"ENV{UDEV_DISABLE_PERSISTENT_STORAGE_BLKID_FLAG}=\"1\"\n");
}

static void half_a_rule_is_not_written(void **state)
{
	char name[300];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	init_udev_divert(name, "dm-0");
	assert_int_equal(play.saves, 0);
}

static void rules_that_cannot_be_written_are_a_note(void **state)
{
	(void)state;
	play.result = NBD_E_IO;
	init_udev_divert("nbd0", "dm-0");
	assert_int_equal(play.notes, 1);
	init_udev_hide();
	assert_int_equal(play.notes, 2);
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
