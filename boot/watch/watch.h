/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to the watcher: the process that brings dead connections back.
 *
 *   watch.c  --fork for each device-->  worker.c
 *      |                                   |  harden.c, takeover.c
 *      '--> waits for devices              '--> listens, reconnects
 *                   both tell that they are ready: ready.c
 */
#ifndef BOOT_WATCH_WATCH_H
#define BOOT_WATCH_WATCH_H

#include "boot/device/device.h"

#include <sys/types.h>

/*
 * Reports a failure of SUBJECT ("nbd0") and returns the exit status for it;
 * d may be NULL.
 */
typedef int watch_report(const char *subject, int err,
			 const struct nbd_diag *d);

/*
 * Watches all devices, also those that are connected later.  Returns only if
 * it cannot begin: what `failed` returns.
 */
int watch_all(watch_report *failed);

/*
 * Watches these n > 0 devices until the last is disconnected: one in this
 * process, several in a child each.  Returns 0, or what `failed` returned
 * (several: the bits of all).
 */
int watch_devices(const int index[], unsigned n, watch_report *failed);

/*
 * Watches nbdN until it is disconnected (0), or until it turns out that this
 * cannot be done (a negative enum nbd_err).  Ready: told to whoever started
 * it, as sd_notify(3) does.
 */
int watch_worker_run(int index, struct nbd_diag *d);

/* In place of the index of a device: the watcher of all of them. */
#define WATCH_ALL (-1)

/*
 * Becomes the watcher of nbdN: another one is asked to end, which does not
 * change the device, and is gone when this returns.  Returns the descriptor
 * of a lock, which is held until this process, and those that it forks, have
 * ended.  NBD_E_IN_USE: the other one does not end.  NBD_E_PERM: not root.
 */
int watch_takeover(int index, struct nbd_diag *d);

/*
 * The process that watches nbdN; 0: none.  Not for an index that this process
 * watches itself: it would lose its lock (fcntl_locking(2)).
 */
pid_t watch_takeover_holder(int index);

/* A socket of the kernel's uevents, one in each process; or NBD_E_KERNEL. */
int watch_uevent_open(struct nbd_diag *d);
/* Takes in what has come; was a device of nbd in it? */
bool watch_uevent_is_nbd(void);

#endif
