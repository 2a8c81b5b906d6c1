/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A local device that keeps what boots have read of an image:
 *
 *	| label, zeroes | half 0: head, data | half 1: head, data | zeroes |
 *	  1 MiB                                                     1 MiB
 *
 * One half is in use while the other one is written: its head is cleared first
 * and written last, after all data.  So a half has what its head says, or none.
 * The data are the extents of the list, one after the other.  A head is
 *
 *	nbdboot-cache 1 0 7 4194304 0123456789abcdef
 *	nbdboot-prefetch 1
 *	...
 *	end 140
 *	sum 0123456789abcdef
 *
 * with the number of the half, how many have been written before, the sectors of
 * the device, the sum of the data, and a list (prefetch/extents.h).  The sums are
 * 64-bit FNV-1a: they find what a disk or a mistake has changed, not an attack.
 */
#ifndef BOOT_CACHE_HALF_H
#define BOOT_CACHE_HALF_H

#include "boot/prefetch/extents.h"

/* Bytes: of each end, of the label, and of a head with its zeroes. */
#define CACHE_END    (1024u * 1024)
#define CACHE_LABEL  4096u
#define CACHE_HEAD   (256u * 1024)
#define CACHE_HALVES 2u

/* 64 KiB: too large for a stack. */
struct cache_half {
	uint64_t turn;	 /* greater: written later */
	uint64_t device; /* sectors of the device */
	uint64_t sum;	 /* of the data */
	/* its image is that of the root: what it is bound to */
	struct prefetch_list list;
};

/* Sectors that a half has for data, of a device with so many bytes; 0: none. */
uint64_t cache_room(uint64_t size);
/* The byte where the head of a half begins, and where its data do. */
uint64_t cache_head_at(uint64_t size, unsigned half);
uint64_t cache_data_at(uint64_t size, unsigned half);

/* The label of a device with so many bytes, and zeroes behind it. */
void cache_label(char text[CACHE_LABEL], uint64_t size);

/* Writes the head, and zeroes behind it. */
void cache_head_print(const struct cache_half *h, unsigned half,
		      char text[CACHE_HEAD]);
/*
 * Parses what cache_head_print() has written for this half of a device with so
 * many bytes; len is at most CACHE_HEAD.  NBD_E_NOT_FOUND: there is none.
 * NBD_E_MISMATCH: it is damaged, or of another version or device.  The list is
 * empty then.
 */
int cache_head_parse(struct cache_half *h, const char *text, size_t len,
		     uint64_t size, unsigned half, struct nbd_diag *d);

/*
 * What is worth keeping after a boot has read *l, where `old` (NULL: nothing) is
 * there already; sets *l to it.  What earlier boots have read stays as long as
 * all is at most twice of this one.  Of what has no room in so many sectors the
 * longest extents go first: each one saves one exchange with the server or a
 * few, whatever its length.  Returns false if less than a hundredth is new.
 * work is overwritten.
 */
bool cache_choose(struct prefetch_list *l, const struct prefetch_list *old,
		  uint64_t room, struct prefetch_list *work);

#endif
