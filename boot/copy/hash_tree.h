/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A copy by the hash tree of its source, as dm-verity has it.  What of the
 * destination is as the tree says is neither read from the source nor written:
 *
 *	scan --> leaf of the destination: same? --> passed over
 *	                 '--no--> blocks that differ --> read --> right? --> write
 *
 * The destination is a local file or device, which is read here.
 */
#ifndef BOOT_COPY_HASH_TREE_H
#define BOOT_COPY_HASH_TREE_H

#include "boot/copy/copy.h"
#include "boot/verity/leaves.h"

/* Bytes of the longest leaf, of what it is about, and of leaves read at once. */
#define COPY_TREE_SPAN	(VERITY_BLOCK / 32 * VERITY_BLOCK)
#define COPY_TREE_AHEAD (64u << 10)

/* Large, and all zero at first. */
struct copy_tree {
	struct side *side; /* what has the tree */
	struct copy *copy; /* from copy_tree_begin() on */
	struct verity_leaves leaves;
	bool trusted;	       /* the root hash was given */
	uint64_t covered;      /* bytes of the source */
	uint64_t granule;      /* bytes that are the same, or not, as a whole */
	uint64_t leaf;	       /* that was compared, counted from 1 */
	const uint8_t *hashes; /* of it; NULL: it is the same */
	uint8_t hashed[VERITY_BLOCK];
	uint8_t data[COPY_TREE_SPAN];
	/* leaves, one behind the other, and how many to read the next time */
	uint64_t ahead_at;
	uint32_t ahead_len, window;
	uint8_t ahead[COPY_TREE_AHEAD];
};

/*
 * Finds the superblock on `side`, which was just opened: at its start, or if it
 * is the source itself, behind the data.  root: the root hash in digits, or NULL.
 * NBD_E_USAGE: it does not go together with dst.
 */
int copy_tree_open(struct copy_tree *t, struct side *side, bool is_source,
		   const struct side *src, const struct side *dst,
		   const char *root, struct nbd_diag *d);

/* ---- for the copy; a tree of NULL: there is none ---- */

/* Before the first pass.  Changes c->scan.align, and what depends on it. */
int copy_tree_begin(struct copy *c);
/* A pass begins. */
void copy_tree_forget(struct copy_tree *t);
/*
 * Reduces *len, the bytes from `offset` on, to those that are all the same
 * (*same), or all to be read.
 */
int copy_tree_look(struct copy_tree *t, uint64_t offset, uint64_t *len,
		   bool *same, struct nbd_diag *d);
/* t was found last: keeps its hashes in t->other, if the tree has them. */
void copy_tree_expect(struct copy_tree *tree, struct task *t);
/* It was read: is it what these say?  NBD_E_MISMATCH: no. */
int copy_tree_check(const struct copy *c, struct task *t);

#endif
