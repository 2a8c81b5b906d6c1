/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to the watcher: the process that brings dead connections back.
 *
 *   watch.c  --fork for each device-->  worker.c
 *                                          |  harden.c, takeover.c
 *                                          '--> listens, reconnects
 */
#ifndef BOOT_WATCH_WATCH_H
#define BOOT_WATCH_WATCH_H

#include "boot/device.h"

/*
 * Watches nbdN until it is disconnected (0), or until it turns out that this
 * cannot be done (a negative enum nbd_err).  Ready: told to whoever started
 * it, as sd_notify(3) does.
 */
int worker_run(int index, struct nbd_diag *d);

/*
 * From here on nothing is needed but what is in memory already and /sys: all
 * of the program is locked, the kernel writes out nothing on our behalf, and
 * is to kill others first.  What is not allowed is told, and done without.
 */
void harden(void);

/*
 * Becomes the one who watches nbdN: another one is asked to end, which leaves
 * the device alone.  Held until this process ends.
 */
int takeover(int index, struct nbd_diag *d);

/* A socket of the kernel's uevents; -1 if there is none. */
int uevent_open(void);
/* Takes in what has come; was a device of nbd in it? */
bool uevent_is_nbd(int fd);

#endif
