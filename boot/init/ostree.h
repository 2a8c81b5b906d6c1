/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ostree= and bootc: the root is a deployment in the file system, as
 * ostree-prepare-root(1) puts it together.
 */
#ifndef BOOT_INIT_OSTREE_H
#define BOOT_INIT_OSTREE_H

#include <limits.h>

#include "boot/init/ostree_config.h"
#include "boot/words/cmdline.h"

struct ostree {
	const char *newroot, *word; /* of the mount; ostree= */
	struct ostree_config config;
	/* the physical root, the deployment's directory, the new root */
	int physical, deployment, root;
	char var[PATH_MAX]; /* in the physical root */
	bool composefs, read_only;
	bool generator; /* the system mounts /var and /boot itself */
	const char *dev;
};

/*
 * Finds the deployment that ostree= names in the file system at newroot, reads
 * its configuration, and fills in o.  c must stay valid.
 */
int init_ostree_find(struct ostree *o, const char *newroot,
		     const struct cmdline *c, struct nbd_diag *d);

/* Puts the new root together at newroot.  The caller's process then ends. */
int init_ostree_mount(struct ostree *o, struct nbd_diag *d);

#endif
