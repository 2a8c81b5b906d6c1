/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of mounts, read from its end. */
#include "tests/unit.h"

#include "boot/init/unmount.h"
#include "tests/guard.h"

static void expect(const char *text, const char *const want[], size_t n)
{
	size_t len = strlen(text);
	struct guard g = guard_new(len + 1);
	char *copy = guard_copy(&g, text, len), *path;

	for (size_t i = 0; i < n; i++) {
		path = init_unmount_next(copy, &len);
		assert_non_null(path);
		assert_string_equal(path, want[i]);
	}
	assert_null(init_unmount_next(copy, &len));
	guard_free(&g);
}

static void the_latest_mount_comes_first(void **state)
{
	static const char *const want[] = { "/run/a", "/proc", "/" };

	(void)state;
	expect("22 1 43:0 / / rw,relatime shared:1 - ext4 /dev/nbd0 rw\n"
	       "23 22 0:21 / /proc rw - proc proc rw\n"
	       "24 22 0:22 /x /run/a rw - tmpfs tmpfs rw\n",
	       want, 3);
}

static void blanks_in_names_are_unescaped(void **state)
{
	static const char *const want[] = { "/a b\tc\\d", "/\\04", "/\\9" };

	(void)state;
	expect("1 1 0:1 / /\\9 rw\n"
	       "1 1 0:1 / /\\04 rw\n"
	       "1 1 0:1 / /a\\040b\\011c\\134d rw\n",
	       want, 3);
}

static void a_cut_line_is_dropped(void **state)
{
	static const char *const want[] = { "/a" };

	(void)state;
	expect("1 1 0:1 / /a rw\n1 1 0:1 / /a/b", want, 1);
	expect("1 1 0:1 / /never", NULL, 0);
	expect("", NULL, 0);
}

static void lines_without_a_mount_point_have_none(void **state)
{
	static const char *const want[] = { "", "", "", "x" };

	(void)state;
	expect("1 2 3 4 x\n1 2 3 4 \n\n1 2 3 4\n", want, 4);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_latest_mount_comes_first),
		cmocka_unit_test(blanks_in_names_are_unescaped),
		cmocka_unit_test(a_cut_line_is_dropped),
		cmocka_unit_test(lines_without_a_mount_point_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
