/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that stay: one that could not be started is none. */
#include "boot/init/spawn.h"

#include <errno.h>
#include <fcntl.h>

#include "tests/unit.h"

pid_t __wrap__Fork(void);
pid_t __wrap__Fork(void)
{
	errno = EAGAIN;
	return -1;
}

static unsigned files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void a_process_that_did_not_start_is_none(void **state)
{
	struct spawned w = { 0 };
	unsigned before = files();
	sigset_t none;
	const struct spawner by = { .signals = &none };

	(void)state;
	sigemptyset(&none);
	init_spawn_start(&w, "watch", NULL, 0, &by);
	assert_false(init_spawn_ready(&w));
	assert_int_equal(w.pid, 0);
	assert_int_equal(files(), before);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_that_did_not_start_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
