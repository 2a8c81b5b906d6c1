/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a boot reads of its root: extents in sectors of 512 bytes.  As a file:
 *
 *	nbdboot-prefetch 1
 *	image 2097152 ext4:0b6d9a4e-...
 *	2048 16
 *	8192 256
 *	end 2
 *
 * The image is that of the root: its sectors, its file system and UUID.
 * Extents are sorted, do not touch, and begin and end at multiples of 4 KiB or
 * at the end of the device.  A wrong list costs time, and nothing else; all of
 * it is checked nevertheless.
 */
#ifndef BOOT_PREFETCH_EXTENTS_H
#define BOOT_PREFETCH_EXTENTS_H

#include "port/port.h"

#define PREFETCH_MAX   4096
/* Extents begin at multiples of it: any device can read them. */
#define PREFETCH_ALIGN 8u
/* Bytes of a file: no list is longer. */
#define PREFETCH_FILE  196608
/* Sectors, so that bytes fit in an off_t. */
#define PREFETCH_DISK  (1ull << 54)

struct prefetch_extent {
	uint64_t start, len; /* sectors; len > 0 */
};

/* 64 KiB: too large for a stack. */
struct prefetch_list {
	char image[64];	  /* a word, or "" */
	uint64_t sectors; /* of the device */
	unsigned n;
	struct prefetch_extent e[PREFETCH_MAX];
};

/*
 * Parses exactly what prefetch_print() prints.  NBD_E_MISMATCH: anything else,
 * with the line in d; then the list is empty.
 */
int prefetch_parse(struct prefetch_list *l, const char *text, size_t len,
		   struct nbd_diag *d);
void prefetch_print(const struct prefetch_list *l, struct nbd_out *o);

/*
 * Adds what was read, in whole units of PREFETCH_ALIGN.  What is behind the end
 * of l->sectors is cut off.  If there is no room for one more extent, the two
 * with the smallest gap become one.
 */
void prefetch_add(struct prefetch_list *l, uint64_t start, uint64_t len);
/* Joins extents with `gap` sectors or less between them. */
void prefetch_join(struct prefetch_list *l, uint64_t gap);
/*
 * At most `most` extents, for tables in which each costs time: joins those with
 * the smallest gaps as long as that adds no more than an eighth to the sectors,
 * and then removes the shortest.  most > 0.
 */
void prefetch_reduce(struct prefetch_list *l, unsigned most);
/* Sectors in all. */
uint64_t prefetch_sum(const struct prefetch_list *l);
/* NBD_E_MISMATCH unless the list is one of this image. */
int prefetch_is_of(const struct prefetch_list *l, const char *image,
		   uint64_t sectors, struct nbd_diag *d);

#endif
