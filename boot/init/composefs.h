/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * composefs: an erofs of all names and modes, whose files are objects in a
 * directory, put together by overlayfs.
 */
#ifndef BOOT_INIT_COMPOSEFS_H
#define BOOT_INIT_COMPOSEFS_H

#include <stdbool.h>

#include "port/port.h"

struct composefs {
	int image;   /* the open file of the erofs */
	int objects; /* the open directory of the files */
	/* upper directory and work directory for changes; NULL: read-only */
	const char *upper, *work;
	bool read_only; /* even with these */
};

/* Mounts it at target.  No signature and no fs-verity is checked. */
int init_composefs_mount(const struct composefs *c, const char *target,
			 struct nbd_diag *d);

/* What a process leaves that was killed within it; harmless without that. */
void init_composefs_unmount(void);

#endif
