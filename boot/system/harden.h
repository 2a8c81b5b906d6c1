/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that must go on when its own root cannot be read. */
#ifndef BOOT_SYSTEM_HARDEN_H
#define BOOT_SYSTEM_HARDEN_H

/*
 * From here on the process needs only its own memory and /sys: all of the
 * program is locked, the kernel never waits for write-back on its behalf, and
 * the OOM killer picks others first.  It leaves no core dumps.  If the kernel
 * refuses one of these, reports that on standard error and continues without
 * it.
 */
void boot_harden(void);

/*
 * Call this first: huge pages would pin unused memory.  Processes that this one
 * starts inherit the setting.
 */
void boot_small_pages(void);

/*
 * Sends standard error to the kernel's log, which never blocks, unless it is
 * a terminal.  What a terminal does not take, as one that is stopped, is lost.
 */
void boot_log_to_kernel(void);

#endif
