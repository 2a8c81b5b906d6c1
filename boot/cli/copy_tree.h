/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot copy --delta, with a hash tree or without. */
#ifndef BOOT_CLI_COPY_TREE_H
#define BOOT_CLI_COPY_TREE_H

#include "boot/cli/copy_part.h"
#include "boot/copy/copy.h"

/* For struct copy_options, and what follows in its table. */
extern const struct cli_option cli_tree_options[];

/* What a word of the command line is for. */
enum cli_copy_role { CLI_COPY_SRC, CLI_COPY_DST, CLI_COPY_TREE };

/* Opens what the word names; word and o have to outlive the side. */
int cli_copy_open(struct side *s, const char *word, enum cli_copy_role role,
		  const struct copy_options *o, struct nbd_diag *d);

/*
 * Opens the hash tree that the options name as `side`, and sets c->tree, which
 * stays NULL if they name none.  The other sides are open; src is the word of
 * the source.
 */
int cli_copy_tree(struct copy *c, struct side *side, const char *src,
		  const struct copy_options *o);

#endif
