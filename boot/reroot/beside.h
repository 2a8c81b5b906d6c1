/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steps of a boot beside a running system: the new root is mounted and
 * watched, and then the system itself enters it.
 */
#ifndef BOOT_REROOT_BESIDE_H
#define BOOT_REROOT_BESIDE_H

#include "boot/init/steps.h"

/* Where it is mounted: systemd looks for it there. */
#define NEXTROOT "/run/nextroot"

/*
 * In a running system, whose network is up: connects and mounts the root of
 * these words, an export, on NEXTROOT, and starts its watchers, which outlive
 * this system.  Needs init_shutdown_prepare().  After a failure nothing of it
 * is left, and d has the reason.  NBD_E_INTERRUPTED: one of the signals came,
 * which the caller holds.
 */
int reroot_beside(const char *words, const struct device_signals *signals,
		  struct nbd_diag *d);
/* Undoes all of it, after it succeeded. */
void reroot_beside_undo(void);

/* Waits until the child of a step has a result; a signal ends it before. */
void reroot_beside_await(const struct boot *b, const struct process *child,
			 unsigned ms);

/*
 * Does the lease of the running system need a process that renews it for the
 * new root?  False: it has no end, or one that outlives the system has it.
 */
bool reroot_beside_must_renew(void);

/* For init_spawn_start(). */
const char *reroot_beside_leave(void);

#endif
