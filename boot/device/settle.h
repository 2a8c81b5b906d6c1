/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The window after CONNECT.  The first open of a device reads it, for its
 * partitions.  If its connections die then, that open sleeps until somebody
 * revives them, and cannot be killed.
 */
#ifndef BOOT_DEVICE_SETTLE_H
#define BOOT_DEVICE_SETTLE_H

#include "port/port.h"

/*
 * nbdk_wait_ready() in a child, while another one revives connections that
 * die; `size` is that of the export in bytes.  Any failure leaves the device
 * disconnected: NBD_E_TIMEOUT after a minute or when a signal (SIGINT,
 * SIGTERM, SIGHUP) asks to end, which then ends this process if it is not
 * blocked; else the errors of nbdk_wait_ready().
 */
int device_settle(int index, uint64_t size, struct nbd_diag *d);

/*
 * Makes new connections for nbdN in place of those that have died, until it
 * is killed.  Returns where it cannot (noreconnect.c).
 */
void device_revive(int index);

#endif
