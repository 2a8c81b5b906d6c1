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

#include "boot/device.h"

#include <sys/types.h>

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
 * To be said first: a page of 2 MiB would hold what is used of it, and all the
 * rest.  A process that was started by this one does the same.
 */
void small_pages(void);

/* Messages to the kernel's log: it never waits, as a journal's disk may. */
void log_to_kernel(void);

/* In the place of the index of a device: the one who watches all of them. */
#define WATCH_ALL (-1)

/*
 * Becomes the one who watches nbdN: another one is asked to end, which leaves
 * the device alone, and is gone when this returns.  Returns a socket that
 * stands for that until this process, and those that it started since, have
 * ended: when it is readable, takeover_answer().  NBD_E_IN_USE: the other one
 * does not end, or is another user's.
 */
int takeover(int index, struct nbd_diag *d);

/* Somebody has called, to see who it is: there is room for the next one. */
void takeover_answer(int fd);

/* The process of this user that watches nbdN; 0: there is none. */
pid_t takeover_holder(int index);

/*
 * Tells whoever started this process that it is ready (sd_notify(3)), or in a
 * child the first process, once.
 */
void ready_tell(void);

/*
 * In the first process: before the children are started; in each child; and
 * to wait until each of them is ready or has ended, and then to tell.
 */
void ready_open(void);
void ready_child(void);
void ready_await(void);

/* A socket of the kernel's uevents, one in each process; or NBD_E_KERNEL. */
int uevent_open(struct nbd_diag *d);
/* Takes in what has come; was a device of nbd in it? */
bool uevent_is_nbd(void);

#endif
