/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time between CONNECT and a ready device.  The first open of a device
 * reads it to find its partitions.  If the connections die meanwhile, that open
 * sleeps until another process revives them, and it cannot be killed.
 */
#ifndef BOOT_DEVICE_SETTLE_H
#define BOOT_DEVICE_SETTLE_H

#include "port/port.h"

/*
 * Runs nbdk_wait_ready() in a child process, while another child revives
 * connections that die; `size` is that of the export in bytes.  On failure the
 * device is disconnected.  NBD_E_TIMEOUT: after a minute, or on SIGINT, SIGTERM
 * or SIGHUP, which then ends this process unless it is blocked.  Otherwise the
 * errors of nbdk_wait_ready().
 */
int device_settle(int index, uint64_t size, struct nbd_diag *d);

/*
 * Replaces dead connections of nbdN until this process is killed.  Returns only
 * in builds that never reconnect (noreconnect.c).
 */
void device_revive(int index);

#endif
