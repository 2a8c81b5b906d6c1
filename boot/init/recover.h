/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens between the failure of a boot and its next try. */
#ifndef BOOT_INIT_RECOVER_H
#define BOOT_INIT_RECOVER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* What the user wants then. */
struct recovery {
	const char *shell; /* nbdboot.shell=, or NULL */
	int panic; /* panic=: s until the reboot, 0: none, < 0: at once */
	/*
	 * Is it time to give up?  True: it did so, in vain.  Else it may
	 * shorten the pause (s).  NULL: never, as long as this may pass.
	 */
	bool (*enough)(void *ctx, bool outage, unsigned *pause);
	void *ctx;	  /* of enough() */
	sigset_t signals; /* as they were blocked before process 1 began */
};

/* A step that failed. */
struct failure {
	size_t at;	/* which one: for undo() */
	int err;	/* enum nbd_err */
	bool hopeless;	/* nothing but a reboot can change it */
	unsigned tries; /* that failed before this one */
};

/*
 * Returns when the next try makes sense, with undo(ctx, at) done: what may
 * pass is tried again after a growing pause, the rest more slowly or not at
 * all.  Must be process 1: reaps its orphans meanwhile.
 */
void init_recover(const struct recovery *r, const struct failure *f,
		  void (*undo)(void *ctx, size_t at), void *ctx);

/* Lets seconds pass, and reaps the orphans of process 1. */
void init_rest(unsigned seconds);
/* Runs that program at the console; false if there is no such program. */
bool init_recover_shell(const char *shell, const sigset_t *signals);
/* Says so, and reboots after so many seconds. */
void init_recover_reboot(unsigned seconds);
/*
 * What reboot(2) does with `how` (RB_*), after a sync that has a few seconds:
 * if the server is away it would last for ever.
 */
void init_recover_end(unsigned how);

#endif
