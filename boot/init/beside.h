/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steps of a boot beside a running system: the new root is mounted and
 * watched, and then the system itself enters it.
 */
#ifndef BOOT_INIT_BESIDE_H
#define BOOT_INIT_BESIDE_H

#include "boot/init/mount.h"
#include "boot/init/steps.h"

/* Where it is mounted: systemd looks for it there. */
#define NEXTROOT "/run/nextroot"

#ifdef CONFIG_BOOT_REROOT
/*
 * In a running system, whose network is up: connects and mounts the root of
 * these words, an export, on NEXTROOT, and starts its watchers, which outlive
 * this system.  Needs init_shutdown_prepare().  After a failure nothing of it
 * is left, and d has the reason.  NBD_E_INTERRUPTED: one of the signals came,
 * which the caller holds.
 */
int init_beside(const char *words, const struct device_signals *signals,
		struct nbd_diag *d);
/* Undoes all of it, after it succeeded. */
void init_beside_undo(void);

/* Waits until the child of a step has a result; a signal ends it before. */
void init_beside_await(const struct boot *b, const struct process *child,
		       unsigned ms);

/*
 * Does the lease of the running system need a process that renews it for the
 * new root?  False: it has no end, or one that outlives the system has it.
 */
bool init_beside_must_renew(void);

/*
 * In a child that is to outlive the running system: lets go of all that belongs
 * to this system, and returns the path of this program in RAM, "" after a
 * failure.  NULL: process 1 is the parent, so this is the initramfs.
 */
const char *init_beside_leave(void);

/* Where the root is mounted until it is entered. */
static inline const char *init_newroot(const struct boot *b)
{
	return b->beside ? NEXTROOT : NEWROOT;
}
#else
static inline void init_beside_await(const struct boot *b,
				     const struct process *child, unsigned ms)
{
	(void)b, (void)child, (void)ms;
}

static inline bool init_beside_must_renew(void)
{
	return false;
}

static inline const char *init_beside_leave(void)
{
	return NULL;
}

static inline const char *init_newroot(const struct boot *b)
{
	(void)b;
	return NEWROOT;
}
#endif

#endif
