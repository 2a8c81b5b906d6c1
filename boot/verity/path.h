/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a block up to the root hash, as dm-verity goes (hash type 1):
 *
 *	root hash --> root block --> ... --> leaf --> block of the data
 *
 * Each block has to be what the one before it says of it.
 */
#ifndef BOOT_VERITY_PATH_H
#define BOOT_VERITY_PATH_H

#include "boot/verity/tree.h"

/* Room for the number of a device, "254:1048575". */
#define VERITY_DEVICE 16

/* What a table in use says. */
struct verity_map {
	struct verity_tree tree;
	uint8_t root[VERITY_DIGEST];
	unsigned digest; /* bytes of it */
	char data[VERITY_DEVICE], hash[VERITY_DEVICE];
};

/* A block of the data, or of the tree, counted as the kernel does. */
struct verity_block {
	bool hash;
	uint64_t number; /* of the tree: from the start of its device */
};

/*
 * Parses the line of a table, as the kernel prints it.  NBD_E_MISMATCH: it is
 * not one of dm-verity with what is known here.
 */
int verity_map_parse(struct verity_map *m, const char *table,
		     struct nbd_diag *d);

/* Reads len bytes at byte `at` of the device with the data, or the hashes. */
typedef int verity_read(void *ctx, bool hash, uint64_t at, uint8_t *to,
			size_t len, struct nbd_diag *d);

/*
 * Reads all from the root block to b by `read`.  NBD_OK: b is what the root
 * hash says.  NBD_E_MISMATCH: it, or a block above it, is wrong, and *wrong is
 * that one.  NBD_E_RANGE: the image has no such block.  Else the error of read.
 */
int verity_path_check(const struct verity_map *m, const struct verity_block *b,
		      verity_read *read, void *ctx, struct verity_block *wrong,
		      struct nbd_diag *d);

#endif
