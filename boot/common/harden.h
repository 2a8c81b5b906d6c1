/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that must go on when its own root cannot be read. */
#ifndef BOOT_COMMON_HARDEN_H
#define BOOT_COMMON_HARDEN_H

/*
 * From here on the process needs only its own memory and /sys: all of the
 * program is locked, the kernel never waits for write-back on its behalf, and
 * the OOM killer takes others first.  There are no core dumps of it.  Reports
 * on standard error what the kernel does not allow, and goes on without it.
 */
void boot_harden(void);

/*
 * Call this first: huge pages would pin unused memory.  Inherited by
 * processes that this one starts.
 */
void boot_small_pages(void);

/*
 * Sends standard error to the kernel's log, which never blocks, unless it is
 * a terminal.
 */
void boot_log_to_kernel(void);

#endif
