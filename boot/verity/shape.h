/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The levels of a tree, root first, one behind the other from tree.start on:
 *
 *	level 2: 1 block | level 1: some blocks | level 0: one hash each of data
 */
#ifndef BOOT_VERITY_SHAPE_H
#define BOOT_VERITY_SHAPE_H

#include "boot/verity/path.h"

/* The largest block. */
#define VERITY_BLOCK  4096u
/* The most levels: 2^54 blocks of data, and 8 hashes in a block. */
#define VERITY_LEVELS 18

/* log2 of the hashes in a block. */
unsigned verity_fan_bits(const struct verity_map *m);
/* None over one block of data: the root hash is its hash. */
unsigned verity_levels(const struct verity_map *m);
uint64_t verity_level_blocks(const struct verity_map *m, unsigned level);
/* The first block of a level. */
uint64_t verity_level_first(const struct verity_map *m, unsigned level);
/* n >> bits, also if that are 64 or more. */
uint64_t verity_up(uint64_t n, unsigned bits);

#endif
