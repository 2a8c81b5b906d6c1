/* SPDX-License-Identifier: BSD-2-Clause */
/* Modules that the boot needs later, loaded while the network comes up. */
#ifndef BOOT_INIT_PRELOAD_H
#define BOOT_INIT_PRELOAD_H

#include <sys/types.h>

#ifdef CONFIG_BOOT_PRELOAD
/*
 * Starts the child *child, unless it is there (> 0), which loads the driver
 * of a virtio network card, if there is one, then nbd, for one device, then
 * the module of the file system: that of fstype ("ext4", "xfs,ext4": the
 * first) or, where it is NULL or "", the only one of the known ones that this
 * initramfs has.  Failures are ignored: the step that needs a module
 * loads it again, and reports the error.
 */
void init_preload_start(pid_t *child, const char *fstype);

/* Returns when the child, if there is one, is done, or takes too long. */
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
