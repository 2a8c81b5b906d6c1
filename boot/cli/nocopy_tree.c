/* SPDX-License-Identifier: BSD-2-Clause */
/* For builds that read no hash tree: replaces copy_tree.c. */
#include "boot/cli/copy_tree.h"

const struct cli_option cli_tree_options[] = {
	/* text as well: its field is */
	{ "delta", 0, "TREE", "write what differs (no TREE in this build)",
	  CLI_FIELD(struct copy_options, delta), .optional = true },
	{ .more = cli_part_options },
};

int cli_copy_tree(struct copy *c, struct side *side, const char *src,
		  const struct copy_options *o)
{
	(void)side, (void)src;
	return !o->delta || !o->delta[0]
		       ? NBD_OK
		       : nbd_diag(c->d, NBD_E_USAGE,
				  "this build reads no hash tree");
}
