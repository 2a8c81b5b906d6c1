/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A root that is verified: the kernel's dm-verity on top of the device, which
 * checks each block when it is read.
 */
#ifndef BOOT_INIT_VERITY_H
#define BOOT_INIT_VERITY_H

#include "boot/init/part.h"
#include "boot/verity/wanted.h"

struct verity_devices {
	const char *disk; /* "nbd0": the name of the mapping */
	const char *data,
		*hash;	   /* paths; the same: the tree is behind the data */
	const char *codes; /* likewise, or NULL */
};

/*
 * Maps the data, so that what is read of it leads to w->root, and sets dev to
 * the path of the mapping.  The first block has been read by then.
 * NBD_E_MISMATCH: it is not the root of that hash.  After a failure nothing is
 * left.
 */
int init_verity_map(const struct verity_wanted *w,
		    const struct verity_devices *on, char dev[PART_PATH],
		    struct nbd_diag *d);

/* Reads all of the mapping, to see that it is right. */
int init_verity_read(const struct verity_wanted *w, const char *disk,
		     const char *dev, struct nbd_diag *d);

#endif
