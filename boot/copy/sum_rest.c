/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a hash that no piece brought: a pass reads the destination. */
#include "boot/copy/copy.h"

void copy_hash_rest(struct copy *c)
{
	struct copy_hash *h = &c->hash;
	struct side *src = c->src;
	uint64_t end = src->size;

	if (!h->wanted || c->err || copy_interrupted || c->lost ||
	    h->done == end)
		return;
	h->on_the_way = false;
	h->reads = true;
	c->src = c->scan.src = c->dst;
	c->scan.tree = NULL;
	copy_aim(c, h->done, end, 0);
	copy_pass(c, true);
	copy_progress_show(&c->progress, copy_low_water(c), true);
	c->src = c->scan.src = src;
	c->scan.tree = c->tree;
	c->compare = false;
	h->reads = false;
}
