/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From URIs to a kernel block device: connects, negotiates, compares, hands
 * over.  What `nbdboot connect` and the boot helper have in common.
 */
#ifndef BOOT_DEVICE_ATTACH_H
#define BOOT_DEVICE_ATTACH_H

#include "boot/device/backend.h"

/* A time-out in seconds that was not given: take the default. */
#define ATTACH_DEFAULT (-1)

struct attach {
	struct backend b; /* slots: room for more, 0: as many as make sense */
	int index;	  /* N of nbdN, -1: the kernel chooses */
	uint32_t block_size; /* bytes, 0: what the server says, else 512 */
	bool read_only;	     /* even if the export can be written */
	bool identity;	     /* compare the disk when it is reconnected */
	int io_timeout;	     /* s, NBD_ATTR_TIMEOUT, or ATTACH_DEFAULT */
};

/*
 * Returns N of the nbdN that is ready for use: size set, partitions scanned,
 * node in /dev.  On failure a negative enum nbd_err, d says why, and no
 * half-made device is left.  Loads the nbd module if it is missing.  The
 * servers are tried in turn; with a->b.spread all of them have to agree.
 * It takes 200 KiB of the stack.
 */
int device_attach(const struct attach *a, struct nbd_diag *d);

#endif
