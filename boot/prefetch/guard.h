/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second process beside one that has something to undo:
 *
 *	caller --fork--> guard, which waits
 *	   '--> its end: told, the guard ends, too; not told, it was killed
 *
 * Either may be killed, and the other one does what is left.
 */
#ifndef BOOT_PREFETCH_GUARD_H
#define BOOT_PREFETCH_GUARD_H

#include <sys/types.h>

struct prefetch_guard {
	int fd; /* -1: there is none */
	pid_t pid;
};

struct prefetch_guarded {
	/* closes, in the guard, what it has a copy of and does not need */
	void (*part)(void *ctx);
	/* undoes what the caller has not, as it was killed */
	void (*mend)(void *ctx);
	void *ctx;
};

/* Starts the guard.  A failure has a message, and then there is none. */
void prefetch_guard_begin(struct prefetch_guard *g,
			  const struct prefetch_guarded *of);
/* Nothing is left to undo.  Waits until the guard has ended. */
void prefetch_guard_end(struct prefetch_guard *g);

#endif
