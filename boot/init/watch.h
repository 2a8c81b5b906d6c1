/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that stay, started while everything can still be read. */
#ifndef BOOT_INIT_WATCH_H
#define BOOT_INIT_WATCH_H

#include <signal.h>
#include <sys/types.h>

#include "port/port.h"

/*
 * Starts `nbdboot COMMAND nbdN`, or without a device if the index is -1, with
 * the signal mask: its pid, or -1.  It gets ready by itself; watch_ready()
 * comes before the switch of the root, and before the next one is started.
 */
pid_t watch_start(char *command, int index, const sigset_t *signals);

/*
 * Returns pid when it is ready for the switch of the root, or -1; then it is
 * ended.  pid may be watch_start()'s -1.
 */
pid_t watch_ready(pid_t pid);

/* Ends it, and waits until it has. */
void watch_stop(pid_t pid);

#endif
