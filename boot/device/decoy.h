/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection that is dead, but only to those that send. */
#ifndef BOOT_DEVICE_DECOY_H
#define BOOT_DEVICE_DECOY_H

/*
 * Makes two sockets: a send to fds[0] fails at once, a receive waits until fds[1]
 * is closed.  So the driver takes it for alive until a request tries it; its
 * reader alone would end it before a request that waits has woken up.
 *
 * 0, and the caller closes both; or -1: there is no socket left.
 */
int device_decoy(int fds[2]);

#endif
