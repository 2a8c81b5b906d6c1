/* SPDX-License-Identifier: BSD-2-Clause */
/* When a boot is given up, and what then: nbdboot.timeout=, nbdboot.onfail= */
#ifndef BOOT_INIT_ONFAIL_H
#define BOOT_INIT_ONFAIL_H

#include "boot/init/cmdline.h"
#include "boot/init/recover.h"

/*
 * Comes first: from the next say_failed() on all that is said goes to every
 * console, and recover() asks here.  cmd and r are used later.
 */
void onfail_init(const struct cmdline *cmd, struct recovery *r);

/* Are the words right?  NBD_E_USAGE. */
int onfail_check(const struct cmdline *cmd, struct nbd_diag *d);

/*
 * Starts a process that gives the boot up cmd->timeout s from now, even if
 * process 1 hangs in the kernel; without a timeout nothing.  Ends it.
 */
void onfail_start(void);
void onfail_stop(void);

#endif
