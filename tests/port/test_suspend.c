/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What can be seen of suspends without one: vm/test_suspend.sh has the rest.
 */
#include "port/linux/suspend.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "tests/unit.h"

static bool refuse;

int __real_timerfd_settime(int fd, int flags, const struct itimerspec *new,
			   struct itimerspec *old);
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *new,
			   struct itimerspec *old);
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *new,
			   struct itimerspec *old)
{
	if (refuse)
		return errno = EINVAL, -1;
	return __real_timerfd_settime(fd, flags, new, old);
}

static void a_machine_that_runs_reports_nothing(void **state)
{
	struct pollfd p = { .fd = suspend_open(), .events = POLLIN };

	(void)state;
	assert_true(p.fd >= 0);
	assert_int_equal(poll(&p, 1, 0), 0);
	/* it waits for nothing */
	suspend_read(p.fd);
	suspend_read(-1);
	assert_int_equal(close(p.fd), 0);
}

static void a_kernel_without_it_is_no_error(void **state)
{
	int next = dup(0);

	(void)state;
	refuse = true;
	assert_int_equal(suspend_open(), -1);
	refuse = false;
	/* nothing is left open */
	assert_int_equal(dup(0), next + 1);
	close(next + 1);
	close(next);
}

static void the_time_that_was_slept_stays(void **state)
{
	uint64_t before = suspend_ms();

	(void)state;
	/* the clocks are read one after the other */
	for (unsigned i = 0; i < 1000; i++)
		assert_in_range(suspend_ms() + 5000, before, before + 10000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_that_runs_reports_nothing),
		cmocka_unit_test(a_kernel_without_it_is_no_error),
		cmocka_unit_test(the_time_that_was_slept_stays),
	};

	return cmocka_run_group_tests_name("suspend", tests, NULL, NULL);
}
