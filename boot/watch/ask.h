/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to the watcher: a read over each connection of a device, which the
 * driver times out where another one is stuck.
 */
#ifndef BOOT_WATCH_ASK_H
#define BOOT_WATCH_ASK_H

#include <sys/types.h>

/* The caller zeroes it; all of it is private. */
struct watch_ask {
	int devices; /* /dev */
	pid_t pid;
};

/* Before the process is confined, and leaves the root: needs /dev. */
void watch_ask_open(struct watch_ask *a);

/*
 * Starts a process that reads the first block of nbdN from each of its queues,
 * past the page cache.  Does nothing while the last one has not ended.  It may
 * hang as long as the device does, and then holds nothing of this process.
 */
void watch_ask(struct watch_ask *a, int index);

#endif
