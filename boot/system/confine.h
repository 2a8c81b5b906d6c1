/* SPDX-License-Identifier: BSD-2-Clause */
/* Giving up rights: for a process that has read all that it needs. */
#ifndef BOOT_SYSTEM_CONFINE_H
#define BOOT_SYSTEM_CONFINE_H

#include <stdint.h>

/*
 * Gives up every capability but those in keep (1 << CAP_NET_ADMIN | ...), and
 * every system call but those that talk to servers and to the kernel, read and
 * write files, start a copy of the process, and end it: it starts no program,
 * traces no process, and mounts nothing.  A refused call returns ENOSYS, and
 * the kernel's audit log names it.  This cannot be taken back.  Without
 * CONFIG_BOOT_SECCOMP it does nothing.
 *
 * If the kernel refuses one of these, says so at the level of debug messages on
 * standard error and continues without it.
 */
void boot_confine(uint32_t keep);

#endif
