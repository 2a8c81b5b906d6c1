/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that stay, started while everything can still be read. */
#ifndef BOOT_INIT_SPAWN_H
#define BOOT_INIT_SPAWN_H

#include <signal.h>
#include <sys/types.h>

#include "port/port.h"

/* One such process; all zeros: none. */
struct spawned {
	pid_t pid;
	int ready; /* the socket where it reports that it is */
};

/* The process that starts them. */
struct spawner {
	const sigset_t *signals; /* their signal mask */
	/*
	 * In a running system, in the child that is to outlive it: lets go of
	 * all that belongs to it, and returns the path of this program in RAM,
	 * "" after a failure.  NULL, as its result is: this is the initramfs.
	 */
	const char *(*leave)(void);
	char *word; /* the last operand of the process, or NULL */
};

/*
 * Starts `nbdboot COMMAND [OPTION] [nbdN] [WORD]`, without the option if it is NULL
 * and without a device if the index is -1.  Does not wait until it is ready.  A
 * failure is reported by init_spawn_ready(), which must be called before the
 * switch of the root.
 */
void init_spawn_start(struct spawned *child, char *command, char *option,
		      int index, const struct spawner *by);

/*
 * Waits until the process is ready for the switch of the root, and returns
 * true.  Otherwise ends it, and returns false.
 */
bool init_spawn_ready(struct spawned *child);

/* Ends the process, if there is one: SIGTERM first, then SIGKILL. */
void init_spawn_stop(struct spawned *child);

#endif
