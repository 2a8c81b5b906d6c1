/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock. */
#include "port/port.h"

#include <time.h>

uint64_t nbd_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
