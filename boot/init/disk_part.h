/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds a partition by the table of a disk that the kernel does not know: an
 * export, or an image.  Nothing in it is trusted.
 */
#ifndef BOOT_INIT_DISK_PART_H
#define BOOT_INIT_DISK_PART_H

#include <stddef.h>
#include <stdint.h>

#include "port/port.h"

/* The bytes of a disk, wherever they are. */
struct disk_bytes {
	const char *name; /* for messages */
	uint64_t size;	  /* bytes, < 2^63 */
	uint32_t sector;  /* bytes of a logical block; 0: not known */
	/* Fills buf; at + len <= size.  0, or an error with the reason in d. */
	int (*read)(void *ctx, void *buf, size_t len, uint64_t at,
		    struct nbd_diag *d);
	void *ctx;
};

/* Bytes; it lies in the disk, and is not empty. */
struct disk_part {
	uint64_t at, len;
};

/*
 * Finds the partition that text, the value of `word`, names: as
 * init_part_spec(), but a table is needed, and exactly one partition has to
 * match.  The sums of a GPT are checked.  Returns 0, NBD_E_USAGE,
 * NBD_E_NOT_FOUND, NBD_E_MISMATCH (several, or a damaged table), or an error of
 * b->read().
 */
int init_disk_part(struct disk_part *p, const struct disk_bytes *b,
		   const char *word, const char *text, struct nbd_diag *d);

#endif
