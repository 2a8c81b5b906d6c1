/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass that compares samples, and what is checked after any. */
#include "boot/copy/copy.h"

void copy_end_pass(struct copy *c)
{
	if (!c->err && !copy_interrupted)
		c->err = copy_side_same_size(c->src, c->d);
}

void copy_samples(struct copy *c, uint64_t from, uint64_t end, uint64_t stride)
{
	uint32_t zeroes = c->dst->zeroes, piece = c->dst->piece;

	copy_aim(c, from, end, stride);
	if (piece > COPY_SAMPLE)
		c->dst->piece = COPY_SAMPLE;
	copy_pass(c, true);
	copy_end_pass(c);
	c->dst->zeroes = zeroes;
	c->dst->piece = piece;
}
