/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time between CONNECT and a ready device.  The first open of a device
 * reads it to find its partitions.  If the connections die meanwhile, that open
 * sleeps until another process revives them, and it cannot be killed.
 */
#ifndef BOOT_DEVICE_SETTLE_H
#define BOOT_DEVICE_SETTLE_H

#include "boot/device/signals.h"
#include "port/linux/process.h"

/*
 * Runs nbdk_wait_ready() in a child process, while another child looks after
 * the connections; `size` is that of the export in bytes.  On failure the
 * device is disconnected.  NBD_E_AGAIN: a connection died, and `last` is false;
 * if it is true, dead connections are revived instead.  NBD_E_TIMEOUT: after a
 * minute.  NBD_E_INTERRUPTED: a signal came; the caller holds them.  Otherwise
 * the errors of nbdk_wait_ready().
 */
int device_settle(int index, uint64_t size, bool last,
		  const struct device_signals *signals, struct nbd_diag *d);

/* ms for everything: twice the driver's default time-out for a request. */
#define SETTLE_MS 60000

/*
 * Waits at most ms until the opener has a result: 0.  NBD_E_AGAIN: a connection
 * died, and `last` is false.  NBD_E_INTERRUPTED: `signals` is readable.
 * NBD_E_TIMEOUT: the time is over.  Also for other processes that read the device
 * while nobody watches it.
 */
int device_settle_await(const struct process *opener, int signals, int index,
			bool last, int ms);

/*
 * One wait of at most ms: 0, NBD_E_INTERRUPTED or NBD_E_TIMEOUT as above;
 * NBD_E_AGAIN: the descriptor `reviver` (-1: none) is readable.
 */
int device_settle_poll(const struct process *opener, int signals, int reviver,
		       int ms);

/*
 * Replaces dead connections of nbdN until this process is killed.  With `once`
 * it returns instead when it finds the first; it replaces them only if it
 * cannot count them (sock_diag is missing).
 */
void device_revive(int index, bool once);

#endif
