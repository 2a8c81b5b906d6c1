/* SPDX-License-Identifier: BSD-2-Clause */
/* Modules that the boot needs later, loaded while the network comes up. */
#ifndef BOOT_INIT_PRELOAD_H
#define BOOT_INIT_PRELOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* All zeroes at first. */
struct preload {
	const char *later; /* a module that a feature has named, or NULL */
	pid_t child;	   /* > 0: it runs */
	uint64_t began;	   /* ms, of nbd_now_ms() */
	/* memory that the child shares */
	struct preload_shared {
		uint64_t done;	/* ms, of nbd_now_ms() */
		bool connected; /* the root's device: nothing more to wait for */
	} * shared;
};

#ifdef CONFIG_BOOT_PRELOAD
/*
 * Starts the child, unless it runs already.  It loads the driver
 * of a virtio network interface, if the machine has one, then nbd with one
 * device, then the module of the file system: the first of fstype ("ext4",
 * "xfs,ext4") or, where fstype is NULL, "" or "auto", the known one, if this
 * initramfs has exactly one; then, if the server still has to be waited for,
 * p->later, which is not needed everywhere.  Failures are ignored: the step that
 * needs a module loads it again, and reports the error.
 */
void init_preload_start(struct preload *p, const char *fstype);

/* Waits until the child, if there is one, has ended or takes too long. */
void init_preload_wait(struct preload *p);
#else
static inline void init_preload_start(struct preload *p, const char *fstype)
{
	(void)p, (void)fstype;
}

static inline void init_preload_wait(struct preload *p)
{
	(void)p;
}
#endif

#endif
