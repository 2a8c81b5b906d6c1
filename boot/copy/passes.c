/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A copy, pass by pass:
 *
 *   (compare samples, to resume) --> copy --> flush --> (verify)
 *                                     ^         |           |
 *                                     '---------'-----------'
 *                         a server was away: from its last flush on
 */
#include "boot/copy/copy.h"
#include "boot/copy/hash_tree.h"

/* The default; 4 to 16 pieces in flight cost about the same CPU time. */
#define DEPTH 8

static int refuse(const struct side *src, const struct side *dst,
		  const struct copy_options *o, struct nbd_diag *d)
{
	if ((src->is_pipe || dst->is_pipe) && o->verify)
		return nbd_diag(d, NBD_E_USAGE,
				"--verify cannot read a pipe back");
	if ((src->is_pipe || dst->is_pipe) && o->delta)
		return nbd_diag(d, NBD_E_USAGE,
				"--delta cannot compare a pipe");
	if (copy_side_overlap(src, dst))
		return nbd_diag(d, NBD_E_USAGE,
				"%s and %s are the same, or overlap", src->name,
				dst->name);
	if (src->size == UINT64_MAX || dst->is_pipe)
		return 0;
	if (dst->size < src->size && !dst->grows)
		return nbd_diag(d, NBD_E_SIZE,
				"%s is too small: it has %llu bytes, and %llu "
				"of %s are to be copied (nothing was written)",
				dst->name, (unsigned long long)dst->size,
				(unsigned long long)src->size, src->name);
	if (src->size & (src->align - 1))
		return nbd_diag(
			d, NBD_E_ALIGN,
			"the %llu bytes of %s are not a multiple of "
			"its minimum block size, %u: the last %llu "
			"cannot be read",
			(unsigned long long)src->size, src->name, src->align,
			(unsigned long long)(src->size & (src->align - 1)));
	if (src->size & (dst->align - 1))
		return nbd_diag(d, NBD_E_ALIGN,
				"the %llu bytes of %s are not a multiple of "
				"the minimum block size of %s, %u",
				(unsigned long long)src->size, src->name,
				dst->name, dst->align);
	return 0;
}

/* The longest that a server takes need be no multiple of the other's blocks. */
static int round_pieces(struct side *s, uint32_t block, struct nbd_diag *d)
{
	if (s->piece < block)
		return nbd_diag(d, NBD_E_ALIGN,
				"%s takes %u bytes at once, and the other side "
				"has blocks of %u",
				s->name, s->piece, block);
	s->piece &= ~(block - 1);
	s->zeroes &= ~(block - 1);
	return 0;
}

/* Two pieces must fit into each task's part of the pool. */
static void set_depth(struct copy *c, const struct copy_options *o)
{
	uint32_t piece;

	c->depth = o->depth ? o->depth : DEPTH;
	piece = COPY_POOL / c->depth /
		(o->verify || o->resume || o->delta ? 2 : 1);
	piece &= ~(c->scan.align - 1);
	c->rate = o->per_second;
	piece = copy_paced_piece(c->rate, piece, c->scan.align);
	if (c->src->piece > piece)
		c->src->piece = piece;
	if (c->dst->piece > piece)
		c->dst->piece = piece;
}

static int set_up(struct copy *c, const struct copy_options *o)
{
	struct side *src = c->src, *dst = c->dst;
	int err;

	src->copy = dst->copy = c;
	c->scan = (struct scan){ .src = src, .dst = dst, .tree = c->tree };
	c->scan.align = src->align > dst->align ? src->align : dst->align;
	c->progress.on = o->progress;
	c->delta = o->delta != NULL;
	c->straight = dst->takes_pages && !src->link && !src->is_pipe &&
		      !o->delta && !o->hash;
	/* a file that grows gets zeroes beyond its old end */
	dst->is_zero = !dst->is_pipe && !o->resume &&
		       (o->destination_is_zero || (dst->grows && !dst->size));
	err = copy_tree_begin(c);
	if (!err)
		err = round_pieces(src, c->scan.align, c->d);
	if (!err)
		err = round_pieces(dst, c->scan.align, c->d);
	set_depth(c, o);
	return err;
}

/* Compares samples of both sides before `end`. */
static void compare_samples(struct copy *c, uint64_t end)
{
	uint64_t step = end / COPY_SAMPLES & ~(uint64_t)(c->scan.align - 1);

	copy_samples(c, 0, end, step > COPY_SAMPLE ? step : 0);
}

/* Is the source the one that was copied before? */
static bool resume(struct copy *c)
{
	c->err = copy_mark_read(c);
	if (c->err)
		return false;
	compare_samples(c, c->mark.kept);
	if (c->differs)
		nbd_diag_prefix(c->d, c->err,
				"%s" COPY_PART " is not from this source",
				c->dst->name);
	c->prepared = true;
	return !c->err || (copy_interrupted && !c->differs);
}

/* Returns the number of bytes from the start that are copied. */
static uint64_t copy_all(struct copy *c)
{
	uint64_t done;

	c->lost = false;
	copy_aim(c, c->safe, c->src->size, 0);
	do {
		copy_pass(c, false);
		copy_end_pass(c);
		if (!c->err && !copy_interrupted)
			c->err = copy_prepare(c);
		copy_flush(c);
	} while (!c->err && !copy_interrupted && copy_is_behind(c));
	done = copy_low_water(c);
	copy_progress_show(&c->progress, done, true);
	return done;
}

/* Has the destination what it had flushed before it was away? */
static void check_kept(struct copy *c)
{
	uint64_t kept = c->kept;

	if (!kept || c->err || copy_interrupted)
		return;
	c->kept = 0;
	compare_samples(c, kept);
	if (c->differs)
		nbd_diag_prefix(c->d, c->err,
				"%s was away, and came back without what it "
				"had flushed",
				c->dst->name);
}

static void verify(struct copy *c)
{
	c->kept = 0;
	if (c->err || copy_interrupted)
		return;
	if (c->rescue) {
		copy_rescue_verify(c);
		return;
	}
	copy_aim(c, 0, c->src->size, 0);
	copy_pass(c, true);
	copy_end_pass(c);
	copy_progress_show(&c->progress, copy_low_water(c), true);
}

int copy_run(struct copy *c, const struct copy_options *o, uint64_t *done)
{
	int err = refuse(c->src, c->dst, o, c->d);

	*done = 0;
	if (err)
		return err;
	c->err = set_up(c, o);
	if (!c->err)
		c->err = copy_rescue_begin(c, o);
	if (!c->err)
		c->err = copy_side_open_pipe(c->dst, c->d);
	if (c->err || (o->resume && !c->rescue && !resume(c)))
		return c->err;
	c->safe = c->mark.kept;
	if (o->hash)
		copy_hash_begin(c, !o->resume && !c->rescue && !c->tree);
	do {
		*done = c->rescue ? copy_rescue_all(c) : copy_all(c);
		if (o->verify)
			verify(c);
		else
			check_kept(c);
		copy_hash_rest(c);
	} while (!c->err && !copy_interrupted && (c->lost || c->kept));
	copy_mark_end(c, *done);
	if (copy_interrupted && (!c->err || c->err == NBD_E_CUT))
		c->err = nbd_diag(c->d, NBD_E_INTERRUPTED,
				  "interrupted: %s%llu bytes are copied",
				  c->rescue ? "" : "the first ",
				  (unsigned long long)*done);
	if (!c->err)
		c->err = copy_side_complete(c->dst, c->d);
	return copy_mark_explain(c);
}
