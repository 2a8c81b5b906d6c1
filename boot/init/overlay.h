/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A root that nobody writes to, under one that everybody may: an overlay
 * (Documentation/filesystems/overlayfs.rst) of the export and of what this
 * machine writes, in RAM or on an export of its own.  nbdboot.overlay=
 */
#ifndef BOOT_INIT_OVERLAY_H
#define BOOT_INIT_OVERLAY_H

#include "boot/common/root.h"

/* Seen in the real system, too: /run moves there with all that is in it. */
#define OVERLAY_LOWER "/run/nbdboot/lower" /* the export, read-only */
#define OVERLAY_UPPER "/run/nbdboot/upper" /* data/ and work/ */

struct overlay {
	const char *spec;
	const char *size; /* of the tmpfs: "size=..." or ""; NULL: an export */
	/* that export, written like that of a root */
	struct cmdline cmd;
	struct root_spec parsed, root;
	int index; /* N of its nbdN; -1: it has none */
};

/*
 * Parses c->overlay: "", "tmpfs", "size=2G", "size=70%", "tmpfs,size=2G" (RAM,
 * half of it by default) or a URI.  An export has the time-out of the root,
 * and the same demand for TLS.  Nothing is mounted yet.  c->overlay must stay
 * valid.  0, NBD_E_USAGE or NBD_E_URI.
 */
int init_overlay_check(struct overlay *o, const struct cmdline *c,
		       struct nbd_diag *d);

/* Connects to the export, if there is one, and sets o->index. */
int init_overlay_connect(struct overlay *o, struct nbd_diag *d);

/*
 * Moves what is mounted at newroot to OVERLAY_LOWER and mounts the overlay at
 * newroot.  May block: for a child.  After a failure, and to undo it,
 * init_overlay_unmount(): nothing of it is mounted then.
 */
int init_overlay_mount(const struct overlay *o, const char *newroot,
		       struct nbd_diag *d);
void init_overlay_unmount(const char *newroot);

#endif
