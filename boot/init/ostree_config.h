/* SPDX-License-Identifier: BSD-2-Clause */
/* prepare-root.conf of ostree (ostree-prepare-root(1)), and its repository's. */
#ifndef BOOT_INIT_OSTREE_CONFIG_H
#define BOOT_INIT_OSTREE_CONFIG_H

#include <stdbool.h>

#include "port/port.h"

enum ostree_state { OSTREE_UNSET, OSTREE_NO, OSTREE_YES, OSTREE_MAYBE };

struct ostree_config {
	enum ostree_state readonly, composefs;
	enum ostree_state etc_transient, root_transient, root_transient_ro;
	const char *check; /* composefs is "signed" or "verity"; or NULL */
};

/*
 * Adds what text, a NUL-terminated file of the image, says; it ignores what it
 * does not know.  NBD_E_USAGE: a wrong value, with the key in d.
 */
int init_ostree_config(struct ostree_config *c, const char *text,
		       struct nbd_diag *d);

/* A value of ostree.prepare-root.composefs=.  false: it is wrong. */
bool init_ostree_composefs(struct ostree_config *c, const char *value,
			   size_t len);

#endif
