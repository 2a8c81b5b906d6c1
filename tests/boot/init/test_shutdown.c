/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of files in RAM, which the shutdown needs. */
#include "boot/init/shutdown.h"
#include "tests/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "port/linux/file.h"

#define SIZE 8192

static char text[SIZE + 1];

static int begin(void **state)
{
	static char dir[] = "/tmp/test_shutdown.XXXXXX";

	(void)state;
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	memset(text, 'x', SIZE);
	return file_write(AT_FDCWD, "from", text, SIZE);
}

static int end(void **state)
{
	char dir[64];

	(void)state;
	unlink("from");
	unlink("to");
	/* fails if anything else is left */
	return getcwd(dir, sizeof(dir)) ? rmdir(dir) : -1;
}

/* As if the file system was full after so many bytes. */
static int copy(rlim_t room)
{
	struct rlimit before, r;
	int rc, err;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	r = (struct rlimit){ room, before.rlim_max };
	setrlimit(RLIMIT_FSIZE, &r);
	rc = init_shutdown_copy("from", "to", 0600);
	err = errno;
	setrlimit(RLIMIT_FSIZE, &before);
	errno = err;
	return rc;
}

static void a_copy_that_fails_leaves_the_one_before(void **state)
{
	char now[SIZE + 1];

	(void)state;
	assert_int_equal(copy(SIZE / 2), NBD_E_IO);
	assert_int_equal(errno, EFBIG);
	assert_int_not_equal(access("to", F_OK), 0);
	assert_int_equal(file_write(AT_FDCWD, "to", "old", 3), 0);
	assert_int_equal(copy(SIZE / 2), NBD_E_IO);
	assert_int_equal(file_read(AT_FDCWD, "to", now, sizeof(now)), 3);
	assert_string_equal(now, "old");
	assert_int_equal(copy(SIZE), 0);
	assert_int_equal(file_read(AT_FDCWD, "to", now, sizeof(now)), SIZE);
	assert_string_equal(now, text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_that_fails_leaves_the_one_before),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
