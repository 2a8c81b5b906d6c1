/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that stay, started while everything can still be read. */
#ifndef BOOT_INIT_WATCH_H
#define BOOT_INIT_WATCH_H

#include <signal.h>
#include <sys/types.h>

#include "port/port.h"

/* One of them; all zeros: none. */
struct watcher {
	pid_t pid;
	int ready; /* where it says that it is */
};

/*
 * Starts `nbdboot COMMAND nbdN`, or without a device if the index is -1, with
 * the signal mask.  It gets ready by itself, beside others.  A failure shows
 * in watch_ready(), which comes before the switch of the root.
 */
void watch_start(struct watcher *w, char *command, int index,
		 const sigset_t *signals);

/*
 * Returns true when it is ready for the switch of the root, else false; then
 * it is ended.
 */
bool watch_ready(struct watcher *w);

/* Ends it, if there is one, and waits until it has. */
void watch_stop(struct watcher *w);

#endif
