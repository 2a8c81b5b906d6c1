/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that stay, started while everything can still be read. */
#ifndef BOOT_INIT_SPAWN_H
#define BOOT_INIT_SPAWN_H

#include <signal.h>
#include <sys/types.h>

#include "port/port.h"

/* One of them; all zeros: none. */
struct spawned {
	pid_t pid;
	int ready; /* where it says that it is */
};

/*
 * Starts `nbdboot COMMAND nbdN`, or without a device if the index is -1, with
 * the signal mask.  It gets ready by itself, beside others.  A failure shows
 * in init_spawn_ready(), which comes before the switch of the root.
 */
void init_spawn_start(struct spawned *w, char *command, int index,
		      const sigset_t *signals);

/*
 * Returns true when it is ready for the switch of the root, else false; then
 * it is ended.
 */
bool init_spawn_ready(struct spawned *w);

/* Ends it, if there is one: asks first, then kills. */
void init_spawn_stop(struct spawned *w);

#endif
