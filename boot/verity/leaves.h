/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The leaves of a tree, to compare data with them from one end to the other.
 * Data whose hashes have the same hash as the leaf needs no leaf:
 *
 *	data --> hashes --> hash of these: what the level above says? --> same
 *	                         '--no--> the leaf, read: block by block
 *
 * A block of the tree is used once it is what the one above it says; of each
 * level one is kept.
 */
#ifndef BOOT_VERITY_LEAVES_H
#define BOOT_VERITY_LEAVES_H

#include "boot/verity/shape.h"

/* All zero, but for map (its devices are not used), read and ctx. */
struct verity_leaves {
	struct verity_map map;
	verity_read *read; /* is asked for blocks of the tree alone */
	void *ctx;
	unsigned bits, levels;
	uint64_t at[VERITY_LEVELS]; /* the blocks in block[], counted from 1 */
	uint8_t block[VERITY_LEVELS][VERITY_BLOCK];
	uint8_t zero[VERITY_DIGEST];   /* the hash of a block of zeroes, ... */
	uint8_t zeroes[VERITY_DIGEST]; /* ... and of a leaf of such hashes */
};

/*
 * Reads and checks the root block.  `trusted`: map.root is the hash that is
 * wanted; otherwise the root block says what it is.  NBD_E_MISMATCH: it is not
 * that, or is the hash of the only block, which has to be trusted.
 */
int verity_leaves_begin(struct verity_leaves *v, bool trusted,
			struct nbd_diag *d);

/* The bytes of data that one leaf is about. */
uint64_t verity_leaf_span(const struct verity_leaves *v);

/*
 * Compares leaf n with data: the bytes of the image from n * span on, and those
 * behind it as far as the leaf is about any; NULL: all of it is zero.  Sets
 * *hashes to NULL if it is the same, else to what the blocks should have, until
 * the next call; hashed[] to what they have, map.digest bytes each.
 * NBD_E_MISMATCH: the tree is wrong; or the error of read.
 */
int verity_leaf_compare(struct verity_leaves *v, uint64_t n,
			const uint8_t *data, uint8_t *hashed,
			const uint8_t **hashes, struct nbd_diag *d);

/* The hash of a block of data; NULL: of zeroes. */
void verity_leaf_hash(const struct verity_leaves *v, const uint8_t *block,
		      uint8_t *hash);

#endif
