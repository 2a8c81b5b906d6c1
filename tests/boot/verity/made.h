/* SPDX-License-Identifier: BSD-2-Clause */
/* A tree that is made as veritysetup(8) makes them, and parsed as the kernel's. */
#ifndef TESTS_BOOT_VERITY_MADE_H
#define TESTS_BOOT_VERITY_MADE_H

#include "boot/verity/path.h"
#include "port/mbedtls/digest.h"
#include "tests/unit.h"

#define BLOCK 512u
#define DATA  600u
#define TREE  200u

static struct image {
	uint8_t data[DATA][BLOCK], tree[TREE][BLOCK];
	uint64_t blocks,
		tree_blocks; /* of data, and of both what comes first */
	unsigned digest;
	uint8_t root[VERITY_DIGEST];
} image;

static const uint8_t salt[3] = { 1, 2, 3 };
static struct verity_map m;
static struct nbd_diag d;

static void hash(const uint8_t *block, uint8_t *to)
{
	const struct digest_piece s = { salt, sizeof(salt) },
				  b = { block, BLOCK };

	digest_sha2(to, image.digest, s, b);
}

/* Hashes n blocks into those that end before *end; returns how many. */
static uint64_t level(uint8_t (*from)[BLOCK], uint64_t n, uint64_t *end)
{
	uint64_t per = BLOCK / image.digest, count = (n + per - 1) / per;

	*end -= count;
	memset(image.tree[*end], 0, count * BLOCK);
	for (uint64_t i = 0; i < n; i++)
		hash(from[i],
		     image.tree[*end + i / per] + i % per * image.digest);
	return count;
}

/* The tree is moved so that its first block, of a superblock, is behind it. */
static void make(uint64_t blocks, unsigned digest)
{
	uint8_t(*from)[BLOCK] = image.data;
	uint64_t n = blocks, end = TREE;

	image.blocks = blocks;
	image.digest = digest;
	for (uint64_t i = 0; i < blocks; i++)
		memset(image.data[i], (int)(i * 7 + i / 256), BLOCK);
	while (n > 1) {
		n = level(from, n, &end);
		from = image.tree + end;
	}
	hash(from[0], image.root);
	image.tree_blocks = TREE - end;
	memmove(image.tree[1], image.tree[end], (TREE - end) * BLOCK);
}

/* The line of the kernel. */
static int parse(void)
{
	char table[VERITY_TABLE], root[VERITY_HEX];

	verity_hex(root, image.root, image.digest);
	nbd_fmt(table, sizeof(table),
		"0 %u verity 1 43:1 254:0 512 512 %u 1 sha%u %s 010203 1 "
		"panic_on_corruption\n",
		(unsigned)image.blocks, (unsigned)image.blocks,
		image.digest * 8, root);
	return verity_map_parse(&m, table, &d);
}

#endif
