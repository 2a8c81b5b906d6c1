/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A root that nobody writes to, under one that everybody may: an overlay
 * (Documentation/filesystems/overlayfs.rst) of the export and of what this
 * machine writes, in RAM or on an export of its own.  nbdboot.overlay=
 */
#ifndef BOOT_INIT_OVERLAY_H
#define BOOT_INIT_OVERLAY_H

#include "boot/common/cmdline.h"

/* Seen in the real system, too: /run moves there with all that is in it. */
#define OVERLAY_LOWER "/run/nbdboot/lower" /* the export, read-only */
#define OVERLAY_UPPER "/run/nbdboot/upper" /* data/ and work/ */

/*
 * Parses c->overlay: "", "tmpfs", "size=2G", "size=70%", "tmpfs,size=2G" (RAM,
 * half of it by default) or a URI.  An export has the time-out of the root,
 * and the same demand for TLS.  Nothing is mounted yet.  c->overlay must stay
 * valid.  0, NBD_E_USAGE or NBD_E_URI.
 */
int init_overlay_check(const struct cmdline *c, struct nbd_diag *d);

/*
 * Moves what is mounted at newroot to OVERLAY_LOWER and mounts the overlay at
 * newroot, after an init_overlay_check() that was content.  After a failure, and
 * to take it all down, init_overlay_undo(): nothing is mounted at newroot then.
 */
int init_overlay_mount(const char *newroot, struct nbd_diag *d);
void init_overlay_undo(const char *newroot);

/* N of the nbdN that the changes go to; negative where they go to RAM. */
int init_overlay_index(void);

#endif
