/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to the watcher: the process that revives dead connections.
 *
 *  watch.c  --fork for each device-->  worker.c
 *     |                                   |  harden.c, takeover.c
 *     '--> waits for devices              '--> listens, reconnects
 *                both report that they are ready: ready.c
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
 * Watches all devices, including those that are connected later.  Returns only
 * if it cannot start: then the result of `failed`.
 */
int watch_all(watch_report *failed);

/*
 * Watches these n > 0 devices until the last is disconnected: one in this
 * process, several in a child each.  Returns 0, or the result of `failed` (of
 * several: all their bits).
 */
int watch_devices(const int index[], unsigned n, watch_report *failed);

/*
 * Watches nbdN until it is disconnected (0), or returns a negative enum nbd_err
 * if nbdN cannot be watched.  Reports readiness to the process that started
 * this one, as sd_notify(3) does.
 */
int watch_worker_run(int index, struct nbd_diag *d);

/* In place of the index of a device: the watcher of all of them. */
#define WATCH_ALL (-1)

/*
 * Becomes the watcher of nbdN: asks another watcher to end, which does not
 * change the device, and waits until it has.  Returns the descriptor of a lock,
 * which is held until this process and its children have ended.  NBD_E_IN_USE:
 * the other watcher does not end.  NBD_E_PERM: not root.
 */
int watch_takeover(int index, struct nbd_diag *d);

/*
 * Returns the process that watches nbdN; 0: none.  Not for a device that this
 * process watches itself: it would lose its lock (fcntl_locking(2)).
 */
pid_t watch_takeover_holder(int index);

/* Opens a socket for uevents, one in each process; or NBD_E_KERNEL. */
int watch_uevent_open(struct nbd_diag *d);
/* Reads the uevents that have arrived; was one of them about an nbd device? */
bool watch_uevent_is_nbd(void);

#endif
