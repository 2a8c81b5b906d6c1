/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A writable view of a read-only root: an overlay
 * (Documentation/filesystems/overlayfs.rst) of the export and of the changes
 * that this machine makes, which are stored in RAM or on another export.  See
 * nbdboot.overlay=.
 */
#ifndef BOOT_INIT_OVERLAY_H
#define BOOT_INIT_OVERLAY_H

#include <sys/types.h>

#include "boot/words/root.h"
#include "boot/device/signals.h"

/* Visible in the real system, too: /run moves there with its mounts. */
#define OVERLAY_LOWER "/run/nbdboot/lower" /* the export, read-only */
#define OVERLAY_UPPER "/run/nbdboot/upper" /* data/ and work/ */

#ifdef CONFIG_BOOT_OVERLAY
#define INIT_HAS_OVERLAY true
#else
#define INIT_HAS_OVERLAY false
#endif

struct overlay {
	const char *spec;
	const char *size; /* of the tmpfs: "size=..." or ""; NULL: an export */
	/* the export for changes, written as a root is */
	struct cmdline cmd;
	struct root_spec parsed, root;
	int index;		     /* N of its nbdN; -1: not connected */
	struct device_signals *held; /* for device_attach() */
	/* of the present system, beside which this one may be mounted */
	dev_t lower, upper;
};

/*
 * Parses c->overlay: "", "tmpfs", "size=2G", "size=70%", "tmpfs,size=2G" (in
 * RAM, half of it by default) or a URI.  For an export the time-out and the TLS
 * requirement of the root apply.  Mounts nothing.  c->overlay must stay valid.
 * Returns 0, NBD_E_USAGE or NBD_E_URI.
 */
int init_overlay_check(struct overlay *o, const struct cmdline *c,
		       struct nbd_diag *d);

/*
 * Connects to the export, if there is one, and sets o->index.  dev: the interface
 * of the root, as for root_connect().
 */
int init_overlay_connect(struct overlay *o, const char *dev,
			 struct nbd_diag *d);

/*
 * Moves the mount at newroot to OVERLAY_LOWER and mounts the overlay at
 * newroot.  May block, so run it in a child.  init_overlay_unmount() unmounts
 * all of it, to undo it or after a failure.
 */
int init_overlay_mount(const struct overlay *o, const char *newroot,
		       struct nbd_diag *d);
void init_overlay_unmount(const struct overlay *o, const char *newroot);

#endif
