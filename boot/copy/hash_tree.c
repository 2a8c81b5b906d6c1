/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/copy/hash_tree.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- the superblock ---- */

static int look_for(struct copy_tree *t, uint64_t at,
		    const struct verity_wanted *w,
		    const struct verity_room *room, struct nbd_diag *d)
{
	struct verity_tree *tree = &t->leaves.map.tree;
	uint8_t sb[VERITY_SUPER];
	int rc = at + sizeof(sb) > room->hash
			 ? nbd_diag(d, NBD_E_NOT_FOUND, "it is too short")
			 : copy_side_peek(t->side, sb, sizeof(sb),
					  t->side->base + at, d);

	return rc ? rc : verity_tree_parse(tree, sb, at, w, room, d);
}

/* Behind the data, but for what pads the image, as init_verity_map() does. */
static int search(struct copy_tree *t, const struct verity_wanted *w,
		  const struct verity_room *room, struct nbd_diag *d)
{
	uint64_t first = verity_tree_guess(room->hash, w), at = first;
	int rc = NBD_E_NOT_FOUND;

	for (; rc == NBD_E_NOT_FOUND && at && first - at <= VERITY_PADDING;
	     at -= VERITY_BLOCK)
		rc = look_for(t, at, w, room, d);
	return rc == NBD_E_NOT_FOUND
		       ? nbd_diag(d, rc,
				  "no hash tree behind the data, neither at "
				  "byte %llu nor up to 1 MiB before it",
				  (unsigned long long)first)
		       : rc;
}

static int find(struct copy_tree *t, const struct verity_room *room,
		const struct verity_wanted *w, struct nbd_diag *d)
{
	t->leaves.map.digest = w->digest;
	return room->same ? search(t, w, room, d) : look_for(t, 0, w, room, d);
}

/* Which algorithm it is, the superblock says, unless the root hash does. */
static int find_any(struct copy_tree *t, const struct verity_room *room,
		    const char *root, struct nbd_diag *d)
{
	struct verity_wanted w = { .digest = 32 };
	size_t len = root ? strlen(root) : 0;
	int rc;

	w.data_block = w.hash_block = w.data_blocks = VERITY_UNSET;
	if (root) {
		w.digest = (unsigned)len / 2;
		if ((len != 64 && len != 128) ||
		    verity_unhex(t->leaves.map.root, VERITY_DIGEST, root, len) <
			    0)
			return nbd_diag(d, NBD_E_USAGE,
					"--root-hash: %s is not 64 hexadecimal "
					"digits (SHA-256) or 128 (SHA-512)",
					root);
		return find(t, room, &w, d);
	}
	rc = find(t, room, &w, d);
	if (!rc || rc == NBD_E_IO)
		return rc;
	w.digest = 64;
	return find(t, room, &w, NULL) ? rc : NBD_OK;
}

/* A tree that is wrong is a failure like others: connections do not disagree. */
static int explain(const struct copy_tree *t, int rc, struct nbd_diag *d)
{
	return rc == NBD_E_MISMATCH
		       ? nbd_diag_prefix(d, NBD_E_IO, "%s", t->side->name)
		       : rc;
}

/* ---- reading it ---- */

/* A server that is away is waited for, as for the source. */
static int fetch(struct copy_tree *t, uint8_t *to, size_t len, uint64_t at,
		 struct nbd_diag *d)
{
	struct side *s = t->side;
	int rc;

	while ((rc = copy_side_peek(s, to, len, s->base + at, d)) != 0) {
		rc = copy_side_reconnect(s, rc, d);
		if (rc)
			return rc;
	}
	if (s->link)
		copy_link_answers(s, false);
	copy_pay(t->copy, (uint32_t)len, nbd_now_ns());
	return NBD_OK;
}

/*
 * Leaves, more at once the longer they are read in order: a server far away has
 * few turns then, and few leaves are read in vain where little differs.
 */
static int fetch_leaf(struct copy_tree *t, uint8_t *to, uint32_t len,
		      uint64_t at, uint64_t end, struct nbd_diag *d)
{
	uint64_t behind = t->ahead_at + t->ahead_len;
	int rc = NBD_OK;

	if (at < t->ahead_at || at >= behind) {
		bool near = at >= behind && at - behind < t->window;

		t->window = !near			  ? len
			    : t->window < COPY_TREE_AHEAD ? t->window * 2
							  : t->window;
		t->ahead_at = at;
		t->ahead_len = end - at < t->window ? (uint32_t)(end - at)
						    : t->window;
		rc = fetch(t, t->ahead, t->ahead_len, at, d);
		if (rc)
			t->ahead_len = 0;
	}
	if (!rc)
		memcpy(to, t->ahead + (at - t->ahead_at), len);
	return rc;
}

static int read_tree(void *ctx, bool hash, uint64_t at, uint8_t *to, size_t len,
		     struct nbd_diag *d)
{
	struct copy_tree *t = ctx;
	const struct verity_map *m = &t->leaves.map;
	uint64_t first = verity_level_first(m, 0);

	(void)hash;
	if (at / len < first)
		return fetch(t, to, len, at, d);
	return fetch_leaf(t, to, (uint32_t)len, at,
			  (first + verity_level_blocks(m, 0)) * len, d);
}

/* ---- before the copy ---- */

int copy_tree_open(struct copy_tree *t, struct side *side, bool is_source,
		   const struct side *src, const struct side *dst,
		   const char *root, struct nbd_diag *d)
{
	struct verity_room room = { src->size, side->size, is_source, false };
	int rc;

	if (src->is_pipe || dst->is_pipe || dst->link)
		return nbd_diag(d, NBD_E_USAGE,
				"--delta with a hash tree reads what a disk or "
				"file of this machine has: %s is none",
				dst->is_pipe || dst->link ? dst->name
							  : src->name);
	if (side->is_pipe)
		return nbd_diag(d, NBD_E_USAGE, "%s is a pipe", side->name);
	t->side = side;
	t->trusted = root != NULL;
	rc = find_any(t, &room, root, d);
	return explain(t, rc == NBD_E_NOT_FOUND ? NBD_E_MISMATCH : rc, d);
}

/* What is the same is looked for in whole blocks of the tree and of the source. */
static int set_granule(struct copy_tree *t, struct copy *c)
{
	const struct verity_tree *tree = &t->leaves.map.tree;
	uint32_t granule = c->scan.align;

	if (granule < tree->data_block)
		granule = tree->data_block;
	if (granule > verity_leaf_span(&t->leaves) || granule > c->src->piece)
		return nbd_diag(c->d, NBD_E_UNSUP,
				"%s has blocks of %u bytes, and pieces of %u: "
				"its hash tree does not go with that",
				c->src->name, c->scan.align, c->src->piece);
	t->granule = c->scan.align = granule;
	c->src->piece &= ~(granule - 1);
	t->covered = tree->data_blocks * tree->data_block;
	if (t->covered < c->src->size)
		t->covered &= ~((uint64_t)granule - 1);
	return NBD_OK;
}

int copy_tree_begin(struct copy *c)
{
	struct copy_tree *t = c->tree;
	int rc;

	if (!t)
		return NBD_OK;
	t->copy = t->side->copy = c;
	t->leaves.read = read_tree;
	t->leaves.ctx = t;
	rc = verity_leaves_begin(&t->leaves, t->trusted, c->d);
	if (rc)
		return explain(t, rc, c->d);
	return set_granule(t, c);
}

void copy_tree_forget(struct copy_tree *t)
{
	if (t)
		t->leaf = 0;
}

/* ---- the destination ---- */

/* Up to the end of what was asked, or of a file that grows: zeroes follow. */
static int read_some(struct side *s, uint8_t *to, size_t len, uint64_t at,
		     struct nbd_diag *d)
{
	uint64_t there = at < s->size ? s->size - at : 0;

	memset(to, 0, len);
	if (len > there)
		len = (size_t)there;
	return copy_side_peek(s, to, len, s->base + at, d);
}

/* Devices do not tell. */
static bool is_hole(const struct side *s, size_t len, uint64_t at)
{
	off_t from = (off_t)(s->base + at);
	off_t data = at < s->size ? lseek(s->fd, from, SEEK_DATA) : -1;

	return at >= s->size || (data < 0 && errno == ENXIO) ||
	       data >= from + (off_t)len;
}

static int compare(struct copy_tree *t, uint64_t n, struct nbd_diag *d)
{
	struct side *dst = t->copy->dst;
	const struct verity_tree *tree = &t->leaves.map.tree;
	uint64_t span = verity_leaf_span(&t->leaves), at = n * span;
	uint64_t left = tree->data_blocks * tree->data_block - at;
	size_t len = left < span ? (size_t)left : (size_t)span;
	bool hole = is_hole(dst, len, at);
	int rc = hole ? NBD_OK : read_some(dst, t->data, len, at, d);

	t->leaf = 0;
	if (rc)
		return rc;
	rc = verity_leaf_compare(&t->leaves, n, hole ? NULL : t->data,
				 t->hashed, &t->hashes, d);
	if (rc)
		return explain(t, rc, d);
	t->leaf = n + 1;
	return NBD_OK;
}

/* ---- pieces ---- */

/* Are the blocks of the granule at byte `at` of the leaf right? */
static bool is_right(const struct copy_tree *t, uint64_t at, uint64_t end)
{
	const struct verity_map *m = &t->leaves.map;
	uint64_t from = at & ~(t->granule - 1), to = from + t->granule;
	size_t first = (size_t)(from / m->tree.data_block) * m->digest;

	if (to > end)
		to = end;
	return !memcmp(t->hashes + first, t->hashed + first,
		       (size_t)((to - from) / m->tree.data_block) * m->digest);
}

int copy_tree_look(struct copy_tree *t, uint64_t offset, uint64_t *len,
		   bool *same, struct nbd_diag *d)
{
	uint64_t span, at, end, to;
	int rc = NBD_OK;

	*same = false;
	if (!t || offset >= t->covered)
		return NBD_OK;
	span = verity_leaf_span(&t->leaves);
	if (t->leaf != offset / span + 1)
		rc = compare(t, offset / span, d);
	if (rc)
		return rc;
	at = offset % span;
	end = t->covered - (offset - at);
	if (end > span)
		end = span;
	*same = !t->hashes || is_right(t, at, end);
	to = t->hashes ? (at & ~(t->granule - 1)) + t->granule : end;
	while (to < end && is_right(t, to, end) == *same)
		to += t->granule;
	if (to > end)
		to = end;
	if (*len > to - at)
		*len = to - at;
	return NBD_OK;
}

void copy_tree_expect(struct copy_tree *tree, struct task *t)
{
	uint64_t span, at;
	const struct verity_map *m;

	t->hashed = tree && t->offset < tree->covered && tree->hashes;
	if (!t->hashed)
		return;
	span = verity_leaf_span(&tree->leaves);
	m = &tree->leaves.map;
	at = t->offset % span / m->tree.data_block;
	/* a hash is shorter than the least block */
	memcpy(t->other.base, tree->hashes + at * m->digest,
	       t->len / m->tree.data_block * m->digest);
}

int copy_tree_check(const struct copy *c, struct task *t)
{
	const struct verity_leaves *v;
	uint32_t block, n;
	uint8_t is[VERITY_DIGEST];

	if (!t->hashed)
		return 0;
	t->hashed = false;
	v = &c->tree->leaves;
	block = v->map.tree.data_block;
	for (n = 0; n < t->len / block; n++) {
		verity_leaf_hash(v,
				 t->zero ? NULL
					 : (const uint8_t *)t->iov.base +
						   n * (size_t)block,
				 is);
		if (memcmp(is,
			   (const uint8_t *)t->other.base +
				   n * (size_t)v->map.digest,
			   v->map.digest) != 0)
			return nbd_diag(
				c->d, NBD_E_IO,
				"%s is not what its hash tree says at offset "
				"%llu: one of them was changed",
				c->src->name,
				(unsigned long long)t->offset +
					n * (uint64_t)block);
	}
	return 0;
}
