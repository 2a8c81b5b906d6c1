/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a boot is given up, and what happens then: nbdboot.timeout= and
 * nbdboot.onfail=.
 */
#ifndef BOOT_INIT_ONFAIL_H
#define BOOT_INIT_ONFAIL_H

#include "boot/words/cmdline.h"
#include "boot/init/recover.h"

struct onfail {
	const struct cmdline *cmd;
	struct recovery *recovery;
	uint64_t end; /* of the timer, in ms of nbd_now_ms() */
	pid_t timer;  /* a child, or 0 */
};

/*
 * Call this first: from the next boot_say_failed() on, every console gets all
 * messages, and init_recover() asks o whether to give up.  o, cmd and r must
 * stay valid.
 */
void init_onfail_init(struct onfail *o, const struct cmdline *cmd,
		      struct recovery *r);

/* Checks the value of nbdboot.onfail=.  Returns 0 or NBD_E_USAGE. */
int init_onfail_check(const struct cmdline *cmd, struct nbd_diag *d);

/*
 * init_onfail_start() starts a child that gives up the boot in cmd->timeout
 * seconds, even if process 1 hangs in the kernel; without a timeout it does
 * nothing.  init_onfail_stop() ends that child.
 */
void init_onfail_start(struct onfail *o);
void init_onfail_stop(struct onfail *o);

#endif
