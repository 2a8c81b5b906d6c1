/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that copies, while the initramfs is left. */
#include "boot/init/cloner.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>

#include "tests/unit.h"

int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
void __wrap_boot_ready_tell(void);

static bool has_proc, told;

int __wrap_open(const char *path, int flags, ...)
{
	has_proc |= !strcmp(path, "/proc");
	return __real_open(path, flags, 0);
}

void __wrap_boot_ready_tell(void)
{
	assert_true(has_proc);
	told = true;
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
	assert_true(told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(init_goes_on_once_proc_is_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
