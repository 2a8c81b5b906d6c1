/* SPDX-License-Identifier: BSD-2-Clause */
/* Modules that the boot needs later, loaded while the network comes up. */
#ifndef BOOT_INIT_PRELOAD_H
#define BOOT_INIT_PRELOAD_H

#ifdef CONFIG_BOOT_PRELOAD
/*
 * Starts a process that loads the driver of a virtio network card, if there is
 * one, then nbd, for one device, then the module of the file system: that of
 * fstype ("ext4", "xfs,ext4": the first) or, where it is NULL or "",
 * the one that this initramfs has, if it has one only of those that are
 * recognized.  Failures are ignored: the step that needs a module loads it
 * again, and reports the error.  Does nothing while such a process runs.
 */
void init_preload_start(const char *fstype);

/* Returns when the process, if there is one, is done. */
void init_preload_wait(void);
#else
static inline void init_preload_start(const char *fstype)
{
	(void)fstype;
}

static inline void init_preload_wait(void)
{
}
#endif

#endif
