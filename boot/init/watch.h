/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that stay, started while everything can still be read. */
#ifndef BOOT_INIT_WATCH_H
#define BOOT_INIT_WATCH_H

#include <signal.h>
#include <sys/types.h>

#include "port/port.h"

/* In the place of the index of a device: `nbdboot renew`. */
#define WATCH_LEASE (-1)

/*
 * Starts `nbdboot watch nbdN` with the signal mask: its pid, or -1.  It gets
 * ready by itself; watch_ready() comes before the switch of the root.
 */
pid_t watch_start(int index, const sigset_t *signals);

/*
 * Returns pid when the watcher is ready for the switch of the root, or a
 * negative enum nbd_err; then it is ended.  pid may be watch_start()'s -1.
 */
int watch_ready(pid_t pid, int index, struct nbd_diag *d);

/* Ends it, and waits until it has. */
void watch_stop(pid_t pid);

#endif
