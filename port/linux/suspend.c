/* SPDX-License-Identifier: BSD-2-Clause */
/* Suspends: a timer, and what two clocks differ by. */
#include "port/linux/suspend.h"

#include <limits.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* The kernel reports a jump of the time of day, which a suspend makes, too. */
int suspend_open(void)
{
	static const struct itimerspec never = { .it_value.tv_sec = LONG_MAX };
	int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 ||
	    !timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET,
			     &never, NULL))
		return fd;
	close(fd);
	return -1;
}

void suspend_read(int fd)
{
	uint64_t n;

	/* ECANCELED is the event itself; after it the timer runs on */
	if (fd >= 0 && read(fd, &n, sizeof(n)) < 0)
		return;
}

static uint64_t ms_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

uint64_t suspend_ms(void)
{
	uint64_t awake = ms_of(CLOCK_MONOTONIC), all = ms_of(CLOCK_BOOTTIME);

	return all - awake;
}
