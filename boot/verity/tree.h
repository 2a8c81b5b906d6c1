/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hash tree of dm-verity, as veritysetup(8) writes it:
 *
 *	data | superblock (512 bytes), up to a hash block | tree, root first
 *
 * Nothing of it is trusted: a superblock can only say where the kernel looks
 * for hashes, and each of them leads to the root hash, or the read fails.
 */
#ifndef BOOT_VERITY_TREE_H
#define BOOT_VERITY_TREE_H

#include "boot/verity/wanted.h"

#define VERITY_SUPER   512
/* Room for the line of a table. */
#define VERITY_TABLE   1200
/* Bytes behind the tree that an image may have. */
#define VERITY_PADDING (1u << 20)

/* What a table needs. */
struct verity_tree {
	uint32_t data_block, hash_block; /* bytes of one */
	uint64_t data_blocks;
	uint64_t start; /* of the tree, in hash blocks */
	uint8_t salt[VERITY_SALT];
	unsigned salt_len;
	uint64_t codes, covered; /* where codes begin, and of what: in blocks */
};

/* The devices, in bytes. */
struct verity_room {
	uint64_t data, hash;
	bool same;   /* the tree is behind the data, on one device */
	bool behind; /* the codes are behind the tree, on one device */
};

/*
 * Parses the superblock that is at byte `at` of the device with the hashes.
 * NBD_E_NOT_FOUND: there is none.  NBD_E_MISMATCH: it is wrong, is not what w
 * asks for, or does not fit into the devices.
 */
int verity_tree_parse(struct verity_tree *t, const uint8_t sb[VERITY_SUPER],
		      uint64_t at, const struct verity_wanted *w,
		      const struct verity_room *room, struct nbd_diag *d);
/* Likewise without a superblock: w says all of it. */
int verity_tree_bare(struct verity_tree *t, uint64_t at,
		     const struct verity_wanted *w,
		     const struct verity_room *room, struct nbd_diag *d);

/*
 * Where the superblock is if data and tree fill the `size` bytes of one device
 * and w says no more; 0: such a device cannot be.
 */
uint64_t verity_tree_guess(uint64_t size, const struct verity_wanted *w);

/*
 * Sets what codes cover, as veritysetup(8) makes them: the data, and behind it the
 * device with the tree from there to its end, or to the codes.
 * NBD_E_MISMATCH: they cannot be there.
 */
int verity_tree_codes(struct verity_tree *t, const struct verity_wanted *w,
		      const struct verity_room *room, struct nbd_diag *d);

/*
 * The line of the table.  The devices are as the kernel takes them: "43:0"; codes
 * is NULL if there are none.  Returns its length.
 */
int verity_tree_table(char table[VERITY_TABLE], const struct verity_tree *t,
		      const struct verity_wanted *w, const char *data,
		      const char *hash, const char *codes);

#endif
