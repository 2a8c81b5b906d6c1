/* SPDX-License-Identifier: BSD-2-Clause */
/* Disks of the machine: which one a word names, and what it holds. */
#ifndef BOOT_INIT_CLONE_TARGET_H
#define BOOT_INIT_CLONE_TARGET_H

#include "boot/clone/clone.h"

/* For clone_run(). */
extern const struct clone_eyes init_clone_eyes;

/*
 * Sets path to that of the only device that `device` names, as struct
 * clone_spec has it.  NBD_E_NOT_FOUND: there is none (yet), or there are several.
 * NBD_E_USAGE: its path has no room.
 */
int init_clone_find(char path[CLONE_PATH], const char *device,
		    struct nbd_diag *d);

/* The same, and waits some seconds for one that is not there yet. */
int init_clone_await(char path[CLONE_PATH], const char *device,
		     struct nbd_diag *d);

/* Reads the mark of the device; errors of clone_mark_read(), NBD_E_NO_DEVICE. */
int init_clone_mark(struct clone_mark *m, const char *path, struct nbd_diag *d);

/* Has the device the superblock of a file system? */
bool init_clone_has_super(const char *path);

#endif
