/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/copy/sum.h"

#include "boot/copy/copy.h"

/* Bytes of zeroes that are hashed at once: a signal waits for them. */
#define ZEROES (4u << 20)

void copy_hash_begin(struct copy *c, bool in_order)
{
	struct copy_hash *h = &c->hash;

	h->wanted = true;
	h->on_the_way = in_order;
	h->done = 0;
	digest_stream_begin(&h->sha);
	if (c->dst->zeroes > ZEROES)
		c->dst->zeroes = ZEROES;
}

bool copy_hash_is_turn(const struct copy *c, const struct task *t)
{
	const struct copy_hash *h = &c->hash;

	return !(h->on_the_way || h->reads) || c->lost || t->offset <= h->done;
}

static void add_zeroes(struct digest_stream *s, uint64_t len)
{
	static char zeroes[64 << 10]; /* not const, so not in the binary */

	for (uint64_t n; len; len -= n) {
		n = len < sizeof(zeroes) ? len : sizeof(zeroes);
		digest_stream_add(s, zeroes, (size_t)n);
	}
}

void copy_hash_take(struct copy *c, const struct task *t)
{
	struct copy_hash *h = &c->hash;
	uint64_t skip;

	if (!(h->on_the_way || h->reads) || t->offset > h->done)
		return;
	/* one that is copied again may have been hashed in part, or whole */
	skip = h->done - t->offset;
	if (skip >= t->len)
		return;
	if (t->zero)
		add_zeroes(&h->sha, t->len - skip);
	else
		digest_stream_add(&h->sha, (char *)t->iov.base + skip,
				  (size_t)(t->len - skip));
	h->done += t->len - skip;
}

void copy_hash_forget(struct copy *c)
{
	struct copy_hash *h = &c->hash;

	if (!h->wanted)
		return;
	/* this pass cannot go back: there will be another one */
	c->lost |= h->reads;
	copy_hash_begin(c, false);
}

void copy_hash_print(struct copy *c, char text[COPY_HASH_TEXT])
{
	uint8_t hash[DIGEST_STREAM];

	digest_stream_end(&c->hash.sha, hash);
	for (unsigned i = 0; i < DIGEST_STREAM; i++)
		nbd_fmt(text + 2 * (size_t)i, 3, "%02x", hash[i]);
}
