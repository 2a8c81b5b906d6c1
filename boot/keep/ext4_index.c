/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blocks that say where a directory of ext4 is, if it has more than four
 * extents (Documentation/filesystems/ext4/ifork.rst):
 *
 *	superblock --> group --> inode --> index entries --> blocks with extents
 *
 * The disk is one that anybody may have made: all is read with pread(2), and what
 * is locked is bounded as for files.
 */
#include "boot/keep/keep.h"

#include <unistd.h>

#include "port/le.h"

#define SUPER	   1024 /* where it is, and how long */
#define MAGIC	   0xef53
#define META_BG	   0x0010 /* of incompat: descriptors are elsewhere */
#define WIDE	   0x0080 /* numbers of blocks have 64 bits */
#define NODE_MAGIC 0xf30a
#define ENTRY	   12 /* bytes of an entry, and of the head before them */
#define IN_INODE   60 /* bytes of the node in an inode, 40 after its start */
#define BLOCK_MOST 65536

struct ext4 {
	uint32_t block, per_group, inode, first, inodes;
	unsigned descriptor;
	bool wide;
};

static bool get(struct keep *k, uint64_t at, void *to, size_t len)
{
	return at <= INT64_MAX &&
	       pread(k->disk, to, len, (off_t)at) == (ssize_t)len;
}

static bool get_super(struct keep *k, struct ext4 *e)
{
	unsigned char s[SUPER];

	if (!get(k, SUPER, s, sizeof(s)) || le16(s + 56) != MAGIC ||
	    le32(s + 24) > 6 || le32(s + 96) & META_BG)
		return false;
	*e = (struct ext4){ .block = 1024U << le32(s + 24),
			    .per_group = le32(s + 40),
			    .inode = le16(s + 88),
			    .first = le32(s + 20),
			    .inodes = le32(s),
			    .wide = le32(s + 96) & WIDE };
	e->descriptor = e->wide ? le16(s + 254) : 32;
	return e->per_group && e->inode >= 128 && e->inode <= e->block &&
	       e->descriptor >= (e->wide ? 64 : 32) &&
	       e->descriptor <= e->block;
}

/* The first node of the tree, which is in the inode. */
static bool get_root(struct keep *k, const struct ext4 *e, uint64_t inode,
		     unsigned char node[IN_INODE])
{
	unsigned char d[64];
	uint64_t group, table;

	if (!inode || inode > e->inodes)
		return false;
	group = (inode - 1) / e->per_group;
	if (!get(k, ((uint64_t)e->first + 1) * e->block + group * e->descriptor,
		 d, e->wide ? 64 : 32))
		return false;
	table = le32(d + 8) | (e->wide ? (uint64_t)le32(d + 40) << 32 : 0);
	if (table > INT64_MAX / BLOCK_MOST)
		return false;
	return get(k,
		   table * e->block + (inode - 1) % e->per_group * e->inode +
			   40,
		   node, IN_INODE);
}

void keep_tree(struct keep *k, uint64_t inode)
{
	unsigned char node[IN_INODE];
	const unsigned char *p = node + ENTRY;
	struct ext4 e;
	unsigned n;

	if (!get_super(k, &e) || !get_root(k, &e, inode, node) ||
	    le16(node) != NODE_MAGIC || !le16(node + 6))
		return;
	/* of a second level there would be hundreds of extents */
	for (n = le16(node + 2); n && p < node + IN_INODE; n--, p += ENTRY)
		keep_lock(k, k->disk,
			  (le32(p + 4) | (uint64_t)le16(p + 8) << 32) * e.block,
			  e.block);
}
