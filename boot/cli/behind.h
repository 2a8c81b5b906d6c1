/* SPDX-License-Identifier: BSD-2-Clause */
/* Watchers, also in the background, for scripts. */
#ifndef BOOT_CLI_BEHIND_H
#define BOOT_CLI_BEHIND_H

#include "boot/watch/watch.h"

/*
 * Marks the process as one of the initramfs: systemd does not kill it during a
 * shutdown, and waits for its own services in an outage.  program is its
 * argv[0].
 */
void cli_watch_mark(char *program);

/* The options of watch_devices(): one struct in the process. */
struct watch *cli_watch(unsigned outage);

/*
 * Starts a process that watches nbdN as w says, marked if program is not NULL.
 * CLI_OK when it watches; NBD_E_KERNEL after it has said why it cannot.
 */
int cli_watch_behind(struct watch *w, int index, char *program,
		     struct nbd_diag *d);

#endif
