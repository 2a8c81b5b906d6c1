/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process that stays does to itself. */
#include "tests/unit.h"
#include "boot/common/harden.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_process_that_holds_keys_is_not_dumped(void **state)
{
	int status;

	(void)state;
	assert_int_equal(prctl(PR_GET_DUMPABLE), 1);
	if (fork() == 0) {
		/* what a test machine does not allow it reports */
		dup2(open("/dev/null", O_WRONLY), 2);
		boot_harden();
		_exit(prctl(PR_GET_DUMPABLE) ? 1 : 42);
	}
	assert_true(wait(&status) > 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_that_holds_keys_is_not_dumped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
