/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small cache for the reads of partition tables and file systems, which are
 * small and often repeated.  Reads that go on where the last one ended are read
 * ahead.  Pure: no firmware.
 */
#ifndef BOOT_UEFI_CACHE_H
#define BOOT_UEFI_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UEFI_CACHE_SLOTS 8u
#define UEFI_CACHE_SLOT	 (256u << 10) /* read ahead */
#define UEFI_CACHE_LINE	 (64u << 10)  /* read otherwise; the alignment */

struct uefi_cache {
	/* The caller sets these; all others are zero at the start. */
	unsigned char *mem; /* UEFI_CACHE_SLOTS * UEFI_CACHE_SLOT bytes */
	uint64_t size;	    /* of the disk */
	/* Reads from the disk: 0 or an error. */
	int (*fetch)(void *ctx, uint64_t offset, void *buf, size_t len);
	void *ctx;

	/* private */
	struct uefi_cache_slot {
		uint64_t offset;
		uint32_t len; /* 0: empty */
		uint32_t used;
	} slot[UEFI_CACHE_SLOTS];
	uint64_t next; /* where the latest miss ended */
	uint32_t now;
};

/*
 * Reads len bytes at offset, which lie within the disk.  Long reads pass the
 * cache by.  Returns 0 or the error of fetch().
 */
int uefi_cache_read(struct uefi_cache *c, uint64_t offset, void *buf,
		    size_t len);
/* Forgets what overlaps those bytes. */
void uefi_cache_drop(struct uefi_cache *c, uint64_t offset, uint64_t len);

#endif
