/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/cli/copy_tree.h"

#include <string.h>

#include "boot/copy/hash_tree.h"

const struct cli_option cli_tree_options[] = {
	{ "delta", 0, "TREE", "write what differs (by SRC's hash tree)",
	  CLI_FIELD(struct copy_options, delta), .optional = true },
	{ "root-hash", 0, "HEX", "the root hash that TREE has to have",
	  CLI_FIELD(struct copy_options, root_hash) },
	{ .more = cli_part_options },
};

int cli_copy_tree(struct copy *c, struct side *side, const char *src,
		  const struct copy_options *o)
{
	/* too large for a stack */
	static struct copy_tree tree;
	static struct copy_options one;
	bool is_source;
	int err;

	if (!o->delta || !o->delta[0])
		return NBD_OK;
	one = *o;
	one.connections = 1;
	err = cli_copy_open(side, o->delta, CLI_COPY_TREE, &one, c->d);
	if (err)
		return err;
	is_source = !strcmp(o->delta, src);
	if (is_source && (c->src->base || c->src->rest))
		err = copy_side_range(side, c->src->base, c->src->size, c->d);
	if (!err)
		err = copy_tree_open(&tree, side, is_source, c->src, c->dst,
				     o->root_hash, c->d);
	if (err)
		side->ops->close(side);
	else
		c->tree = &tree;
	return err;
}
