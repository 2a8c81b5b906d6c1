/* SPDX-License-Identifier: BSD-2-Clause */
/* When a boot is given up, and what then: nbdboot.timeout=, nbdboot.onfail= */
#ifndef BOOT_INIT_ONFAIL_H
#define BOOT_INIT_ONFAIL_H

#include "boot/common/cmdline.h"
#include "boot/init/recover.h"

/*
 * Comes first: from the next boot_say_failed() on all that is said goes to every
 * console, and init_recover() asks here.  cmd and r are used later.
 */
void init_onfail_init(const struct cmdline *cmd, struct recovery *r);

/* Are the words right?  NBD_E_USAGE. */
int init_onfail_check(const struct cmdline *cmd, struct nbd_diag *d);

/*
 * Starts a process that gives the boot up cmd->timeout s from now, even if
 * process 1 hangs in the kernel; without a timeout nothing.  Ends it.
 */
void init_onfail_start(void);
void init_onfail_stop(void);

#endif
