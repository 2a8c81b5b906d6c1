/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens between the failure of a boot and its next try. */
#ifndef BOOT_INIT_RECOVER_H
#define BOOT_INIT_RECOVER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "port/retry.h"

/* What the user wants after a failure. */
struct recovery {
	const char *shell; /* nbdboot.shell=, or NULL */
	int panic; /* panic=: s until the reboot, 0: none, < 0: at once */
	/*
	 * Is it time to give up?  Returns true if it gave up, but the boot
	 * continues; otherwise it may shorten the pause (ms).  NULL: never give
	 * up, as long as this may pass.
	 */
	bool (*enough)(void *ctx, bool outage, unsigned *pause);
	void *ctx;		/* of enough() */
	sigset_t signals;	/* the signal mask at the start of process 1 */
	struct nbd_retry retry; /* init_recover()'s own; zero at first */
};

/* A step that failed. */
struct failure {
	size_t at;     /* which step: for undo() */
	int err;       /* enum nbd_err */
	bool hopeless; /* only a reboot can help */
};

/*
 * Returns when the next try makes sense, after a call of undo(ctx, at).  A
 * failure that may pass is retried after a growing pause, any other more slowly
 * or never.  The caller must be process 1: meanwhile its orphans are reaped.
 */
void init_recover(struct recovery *r, const struct failure *f,
		  void (*undo)(void *ctx, size_t at), void *ctx);

/* Sleeps for so many ms, and reaps the orphans of process 1. */
void init_rest(uint64_t ms);
/* Runs the shell on the console; false if that program does not exist. */
bool init_recover_shell(const char *shell, const sigset_t *signals);
/* Reboots after so many seconds, which it announces. */
void init_recover_reboot(unsigned seconds);
/*
 * Calls reboot(2) with `how` (RB_*), after a sync() that is given a few
 * seconds: while the server is away it would never return.
 */
void init_recover_end(unsigned how);

#endif
