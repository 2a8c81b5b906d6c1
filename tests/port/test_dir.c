/* SPDX-License-Identifier: BSD-2-Clause */
/* The names in a real directory, whatever descriptor it gets. */
#include "core/nbd_err.h"
#include "port/linux/dir.h"
#include "tests/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES 300u /* more than one getdents64() has room for */

static char root[] = "/tmp/test_dir.XXXXXX";

static int begin(void **state)
{
	char name[64];

	(void)state;
	if (!mkdtemp(root))
		return -1;
	for (unsigned i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "%s/%u", root, i);
		if (mkdir(name, 0700))
			return -1;
	}
	return 0;
}

static int end(void **state)
{
	char name[64];

	(void)state;
	for (unsigned i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "%s/%u", root, i);
		rmdir(name);
	}
	return rmdir(root);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void each_name_comes_once(void **state)
{
	bool seen[NAMES] = { false };
	const char *name;
	struct dir dir;
	int fd;

	(void)state;
	assert_int_equal(dir_open(&dir, root), 0);
	fd = dir.fd;
	while ((name = dir_next(&dir))) {
		unsigned long i = strtoul(name, NULL, 10);

		assert_true(i < NAMES && !seen[i]);
		seen[i] = true;
	}
	for (unsigned i = 0; i < NAMES; i++)
		assert_true(seen[i]);
	assert_null(dir_next(&dir));
	dir_close(&dir);
	assert_false(is_open(fd));
}

/* As that of a program that was started without a standard input. */
static void descriptor_0_is_closed_as_any(void **state)
{
	int input = dup(0);
	struct dir dir;

	(void)state;
	close(0);
	assert_int_equal(dir_open(&dir, root), 0);
	assert_int_equal(dir.fd, 0);
	assert_non_null(dir_next(&dir));
	dir_close(&dir);
	assert_false(is_open(0));
	dir_close(&dir); /* once */
	if (input >= 0) {
		dup2(input, 0);
		close(input);
	}
}

static void what_cannot_be_opened_has_no_names(void **state)
{
	struct dir dir;

	(void)state;
	assert_int_equal(dir_open(&dir, "/nonexistent"), NBD_E_NOT_FOUND);
	assert_int_equal(errno, ENOENT);
	assert_null(dir_next(&dir));
	dir_close(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_name_comes_once),
		cmocka_unit_test(descriptor_0_is_closed_as_any),
		cmocka_unit_test(what_cannot_be_opened_has_no_names),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
