/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/verity/leaves.h"

#include <string.h>

#include "port/mbedtls/digest.h"

static void hash(const struct verity_leaves *v, const uint8_t *p, size_t len,
		 uint8_t *to)
{
	const struct verity_tree *t = &v->map.tree;
	const struct digest_piece salt = { t->salt, t->salt_len };
	const struct digest_piece block = { p, len };

	digest_sha2(to, v->map.digest, salt, block);
}

/* Most disks have many of them: a comparison is faster than a hash. */
static bool is_zero(const uint8_t *p, size_t len)
{
	return !*p && !memcmp(p, p + 1, len - 1);
}

void verity_leaf_hash(const struct verity_leaves *v, const uint8_t *block,
		      uint8_t *to)
{
	size_t len = v->map.tree.data_block;

	if (!block || is_zero(block, len))
		memcpy(to, v->zero, v->map.digest);
	else
		hash(v, block, len, to);
}

/* ---- blocks of the tree ---- */

static int read_block(struct verity_leaves *v, unsigned level, uint64_t n,
		      struct nbd_diag *d)
{
	uint32_t len = v->map.tree.hash_block;
	uint64_t at = verity_level_first(&v->map, level) + n;

	v->at[level] = 0;
	return v->read(v->ctx, true, at * len, v->block[level], len, d);
}

static int wrong(unsigned level, uint64_t n, struct nbd_diag *d)
{
	return nbd_diag(d, NBD_E_MISMATCH,
			"block %llu of level %u of the hash tree is not what "
			"the root hash says",
			(unsigned long long)n, level);
}

/* Sets *want to the hash of block n of a level: in the one above, or the root. */
static int above(struct verity_leaves *v, unsigned level, uint64_t n,
		 const uint8_t **want, struct nbd_diag *d);

/* Has block n of a level in v->block[level]. */
static int take(struct verity_leaves *v, unsigned level, uint64_t n,
		struct nbd_diag *d)
{
	const uint8_t *want;
	uint8_t is[VERITY_DIGEST];
	int rc;

	if (v->at[level] == n + 1)
		return NBD_OK;
	rc = above(v, level, n, &want, d);
	if (!rc)
		rc = read_block(v, level, n, d);
	if (rc)
		return rc;
	hash(v, v->block[level], v->map.tree.hash_block, is);
	if (memcmp(is, want, v->map.digest) != 0)
		return wrong(level, n, d);
	v->at[level] = n + 1;
	return NBD_OK;
}

static int above(struct verity_leaves *v, unsigned level, uint64_t n,
		 const uint8_t **want, struct nbd_diag *d)
{
	uint64_t entry = n & (((uint64_t)1 << v->bits) - 1);
	int rc;

	*want = v->map.root;
	if (level + 1 >= v->levels)
		return NBD_OK;
	rc = take(v, level + 1, n >> v->bits, d);
	*want = v->block[level + 1] + entry * v->map.digest;
	return rc;
}

/* ---- leaves ---- */

/* Block 0 of each level becomes what its hashes are, where all data is zero. */
static void begin_zeroes(struct verity_leaves *v)
{
	uint8_t leaf[VERITY_BLOCK] = { 0 };

	hash(v, leaf, v->map.tree.data_block, v->zero);
	for (size_t i = 0; i < (size_t)1 << v->bits; i++)
		memcpy(leaf + i * v->map.digest, v->zero, v->map.digest);
	hash(v, leaf, v->map.tree.hash_block, v->zeroes);
}

int verity_leaves_begin(struct verity_leaves *v, bool trusted,
			struct nbd_diag *d)
{
	int rc;

	v->bits = verity_fan_bits(&v->map);
	v->levels = verity_levels(&v->map);
	begin_zeroes(v);
	if (!v->levels)
		return trusted ? NBD_OK
			       : nbd_diag(d, NBD_E_MISMATCH,
					  "the hash tree has no block: give "
					  "its root hash");
	if (trusted)
		return take(v, v->levels - 1, 0, d);
	rc = read_block(v, v->levels - 1, 0, d);
	if (!rc)
		hash(v, v->block[v->levels - 1], v->map.tree.hash_block,
		     v->map.root);
	v->at[v->levels - 1] = 1;
	return rc;
}

uint64_t verity_leaf_span(const struct verity_leaves *v)
{
	return (uint64_t)v->map.tree.data_block << v->bits;
}

/* How many blocks of data leaf n is about. */
static uint64_t blocks_of(const struct verity_leaves *v, uint64_t n)
{
	uint64_t left = v->map.tree.data_blocks - (n << v->bits);

	return left >> v->bits ? (uint64_t)1 << v->bits : left;
}

/* Is it what is above it? */
static int compare(struct verity_leaves *v, uint64_t n, const uint8_t *hashed,
		   bool *same, bool all_zero, struct nbd_diag *d)
{
	uint8_t leaf[VERITY_BLOCK] = { 0 }, is[VERITY_DIGEST];
	uint64_t blocks = blocks_of(v, n);
	const uint8_t *want;
	int rc = above(v, 0, n, &want, d);

	if (rc)
		return rc;
	memcpy(leaf, hashed, (size_t)blocks * v->map.digest);
	if (!v->levels)
		memcpy(is, hashed, v->map.digest);
	else if (all_zero && blocks >> v->bits)
		memcpy(is, v->zeroes, v->map.digest);
	else
		hash(v, leaf, v->map.tree.hash_block, is);
	*same = !memcmp(is, want, v->map.digest);
	return NBD_OK;
}

int verity_leaf_compare(struct verity_leaves *v, uint64_t n,
			const uint8_t *data, uint8_t *hashed,
			const uint8_t **hashes, struct nbd_diag *d)
{
	uint64_t blocks = blocks_of(v, n);
	bool same = false;
	int rc;

	for (uint64_t i = 0; i < blocks; i++)
		verity_leaf_hash(
			v, data ? data + i * v->map.tree.data_block : NULL,
			hashed + i * v->map.digest);
	*hashes = NULL;
	rc = compare(v, n, hashed, &same, !data, d);
	if (!rc && !same && v->levels)
		rc = take(v, 0, n, d);
	if (!rc && !same)
		*hashes = v->levels ? v->block[0] : v->map.root;
	return rc;
}
