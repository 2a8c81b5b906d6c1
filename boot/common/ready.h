/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readiness, as sd_notify(3) reports it, of one process or of one that starts
 * several children and is ready when each of them is.
 */
#ifndef BOOT_COMMON_READY_H
#define BOOT_COMMON_READY_H

/* This process is ready: notifies $NOTIFY_SOCKET, or in a child the parent. */
void boot_ready_tell(void);

/* In the parent, before it starts children. */
void boot_ready_open(void);
/* In each child, first. */
void boot_ready_child(void);
/* In the parent: waits until each child is ready or has ended, then notifies. */
void boot_ready_await(void);

#endif
