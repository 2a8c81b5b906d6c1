/* SPDX-License-Identifier: BSD-2-Clause */
/* Modules that the boot needs later, loaded while the network comes up. */
#ifndef BOOT_INIT_PRELOAD_H
#define BOOT_INIT_PRELOAD_H

#include <sys/types.h>

#ifdef CONFIG_BOOT_PRELOAD
/*
 * Starts the child *child, unless it runs already (> 0).  It loads the driver
 * of a virtio network interface, if the machine has one, then nbd with one
 * device, then the module of the file system: the first of fstype ("ext4",
 * "xfs,ext4") or, where fstype is NULL or "", the known one, if this initramfs
 * has exactly one.  Failures are ignored: the step that needs a module loads it
 * again, and reports the error.
 */
void init_preload_start(pid_t *child, const char *fstype);

/* Waits until the child, if there is one, has ended or takes too long. */
void init_preload_wait(pid_t *child);
#else
static inline void init_preload_start(pid_t *child, const char *fstype)
{
	(void)child, (void)fstype;
}

static inline void init_preload_wait(pid_t *child)
{
	(void)child;
}
#endif

#endif
