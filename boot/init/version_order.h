/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of two versions is newer. */
#ifndef BOOT_INIT_VERSION_ORDER_H
#define BOOT_INIT_VERSION_ORDER_H

/*
 * Compares two texts by the UAPI Version Format Specification (UAPI.10), as
 * systemd does with the names of partitions: 1.2~rc1 < 1.2 < 1.10.  < 0: a is
 * older; 0: neither is.
 */
int init_version_order(const char *a, const char *b);

#endif
