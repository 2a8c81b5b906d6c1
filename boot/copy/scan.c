/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cuts the source into pieces of data and of zeroes that both sides accept.  If
 * an extent ends within a block of the destination, the block is data.  A
 * sample has gaps between the pieces.
 */
#include "boot/copy/copy.h"
#include "boot/copy/hash_tree.h"

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Sets s->left, and s->same or s->zero, for the extent at s->offset, in whole
 * blocks.
 */
static int look(struct scan *s, struct nbd_diag *d)
{
	uint64_t rest = s->src->size - s->offset, mask = s->align - 1, len;
	bool zero = false;
	int err = copy_tree_look(s->tree, s->offset, &rest, &s->same, d);

	s->left = err ? 0 : rest;
	if (err || s->same)
		return err;
	s->left = 0;
	err = s->src->ops->extent(s->src, s->offset, &len, &zero, d);
	if (err)
		return err;
	len = least(len, rest);
	if (zero && len != rest)
		len &= ~mask;
	if (len == 0) { /* zeroes for less than a block */
		zero = false;
		len = 1;
	}
	/* the rest of a pipe is too long to be rounded up */
	if (!zero && len < rest)
		len = least((len + mask) & ~mask, rest);
	s->left = len;
	s->zero = zero;
	return 0;
}

/* Of a sample, the next piece begins a stride after the one at `from`. */
static void stride(struct scan *s, uint64_t from)
{
	s->offset = from + least(s->stride, s->end - from);
	s->left = 0;
}

int copy_scan_next(struct scan *s, struct task *t, bool *same,
		   struct nbd_diag *d)
{
	uint64_t max;
	int err = 0;

	t->offset = s->offset;
	t->len = 0;
	if (s->offset == s->end)
		return 0;
	if (s->left == 0)
		err = look(s, d);
	if (err)
		return err;
	t->zero = s->zero;
	*same = s->same;
	max = s->same	? UINT32_MAX
	      : s->zero ? s->dst->zeroes
			: least(s->src->piece, s->dst->piece);
	t->len = (uint32_t)least(least(s->left, max), s->end - s->offset);
	s->offset += t->len;
	s->left -= t->len;
	if (s->stride)
		stride(s, t->offset);
	return 0;
}

void copy_aim(struct copy *c, uint64_t from, uint64_t end, uint64_t stride)
{
	c->scan.offset = from;
	c->scan.end = end;
	c->scan.stride = stride;
	c->scan.left = 0;
	copy_tree_forget(c->tree);
}
