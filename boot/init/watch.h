/* SPDX-License-Identifier: BSD-2-Clause */
/* The watcher of the root, started while everything can still be read. */
#ifndef BOOT_INIT_WATCH_H
#define BOOT_INIT_WATCH_H

#include <signal.h>
#include <sys/types.h>

#include "port/port.h"

/*
 * Starts `nbdboot watch nbdN` with the signal mask and returns its pid when it
 * is ready for the switch of the root, or a negative enum nbd_err.
 */
int watch_start(int index, const sigset_t *signals, struct nbd_diag *d);

/* Ends it, and waits until it has. */
void watch_stop(pid_t pid);

#endif
