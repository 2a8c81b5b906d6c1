/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PORT_UEFI_LIBC_TIME_H
#define PORT_UEFI_LIBC_TIME_H

#include <stdint.h>

typedef int64_t time_t;

/* The fields that mbedTLS uses; UTC. */
struct tm {
	int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year;
};

/* By the firmware's clock; port/uefi/date.c. */
time_t time(time_t *to);
struct tm *gmtime(const time_t *at);

#endif
