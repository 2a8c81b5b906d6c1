/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readiness, as in sd_notify(3), of one process, or of a parent that is ready
 * when each of its children is.
 */
#ifndef BOOT_SYSTEM_READY_H
#define BOOT_SYSTEM_READY_H

/* This process is ready: notifies $NOTIFY_SOCKET, or in a child the parent. */
void boot_ready_tell(void);

/* What systemctl status(1) shows; `text` has no newline. */
void boot_ready_status(const char *text);

/* Call this in the parent, before it starts children. */
void boot_ready_open(void);
/* Call this first in each child. */
void boot_ready_child(void);
/*
 * In the parent: waits until each child is ready or has ended, then notifies.
 */
void boot_ready_await(void);

#endif
