/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a kernel block device from URIs, for `nbdboot connect` and the boot
 * helper: connects, negotiates, compares the disks, hands the sockets over.
 */
#ifndef BOOT_DEVICE_ATTACH_H
#define BOOT_DEVICE_ATTACH_H

#include "boot/device/backend.h"
#include "boot/device/settle.h"

/* No time-out was given: take the default. */
#define ATTACH_DEFAULT (-1)

struct attach {
	struct backend b;    /* b.slots: see device_slots_choose() */
	int index;	     /* N of nbdN, -1: the kernel chooses */
	uint32_t block_size; /* bytes, 0: the server's minimum, else 512 */
	bool read_only;	     /* even if the export is writable */
	bool identity;	     /* compare the disk at each reconnection */
	int io_timeout;	     /* s, NBD_ATTR_TIMEOUT, or ATTACH_DEFAULT */
	uint16_t *flags;     /* the export's, after a success; or NULL */
	/* NULL: nbdk_connect() */
	int (*connect)(const struct nbdk_conf *c, struct nbd_diag *d);
};

/*
 * Returns N of the nbdN that is ready for use: size set, partitions scanned,
 * node in /dev; d then has warnings, or "": the servers that failed before, and
 * bytes of the export that are less than a block.  On failure returns a
 * negative enum nbd_err with the reason in d, and leaves no half-made device
 * behind.  Loads the nbd module if it is missing.  The servers are tried in
 * turn; with a->b.spread all of them must serve the same disk.  Uses 200 KiB of
 * stack.
 *
 * A signal that came after CONNECT disconnects it again, and then ends this
 * process (see device_signals_hold()).  With `held` the signals stay held after
 * a success, and the caller releases them.
 */
int device_attach(const struct attach *a, struct device_signals *held,
		  struct nbd_diag *d);

#endif
