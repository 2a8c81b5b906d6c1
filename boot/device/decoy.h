/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection that is dead, but only to those that send. */
#ifndef BOOT_DEVICE_DECOY_H
#define BOOT_DEVICE_DECOY_H

/*
 * Makes two sockets: a send to fds[0] fails at once, a receive gets one byte and
 * waits until fds[1] is closed.  So the driver takes it for alive until a request
 * tries it; its reader alone would end it before a request that waits has woken
 * up.
 *
 * 0, and the caller closes both; or -1: there is no socket left.
 */
int device_decoy(int fds[2]);

/*
 * Waits until the driver's reader of fds[0] has begun: it has read the byte.  One
 * that begins later would read from the connection that follows the decoy.
 * NBD_E_AGAIN: it did not within 5 s.
 */
int device_decoy_await(const int fds[2]);

/* The decoy's reader ends. */
void device_decoy_close(const int fds[2]);

#endif
