/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks of a device in RAM, behind a loop device of its own:
 *
 *	device --O_DIRECT, many reads in flight--> memfd --> /dev/loopN
 *
 * The memory is the loop device's alone, and is free when nothing uses that any
 * more.
 */
#ifndef BOOT_PREFETCH_FETCH_H
#define BOOT_PREFETCH_FETCH_H

#include "boot/prefetch/extents.h"

/* Extents of a writable root: the kernel sends each flush once for each. */
#define PREFETCH_WRITTEN 256

struct prefetch_limits {
	uint64_t bytes;	   /* more is left out, from the end of the list */
	unsigned ms;	   /* for all of it */
	unsigned quiet_ms; /* without an answer */
	bool writable;	   /* a mirror is to write to them, too */
	/*
	 * Is called once, when the first answers have come: an error ends the
	 * fetch.  NULL: there is nothing to check.
	 */
	int (*check)(void *ctx, struct nbd_diag *d);
	void *ctx;
};

/* 32 KiB: too large for a stack. */
struct prefetch_fetched {
	int loop;	/* open; the caller closes it when it is used */
	char disk[16];	/* "loop0" */
	uint64_t bytes; /* that came */
	bool writable;
	unsigned missed; /* extents that did not come in time, or failed */
	/*
	 * The sector of each on the loop device: if writable, that on the disk,
	 * and the loop device has the size of the disk and holes.
	 */
	uint64_t at[PREFETCH_MAX];
};

/*
 * Reads the extents of *l from dev.  What has not come within the limits is
 * removed from the list.  An error: none has come, or there is no room for
 * them.
 *
 * To be called in a child process: its end waits for reads in flight, and the
 * caller must not.
 */
int prefetch_fetch(struct prefetch_list *l, const char *dev,
		   const struct prefetch_limits *limits,
		   struct prefetch_fetched *fetched, struct nbd_diag *d);

/*
 * Prints the table for a device of l->sectors: the extents from the device `ram`,
 * where fetched->at says, the rest from `below` (both "7:0").  cap is at least
 * PREFETCH_TABLE(l->n).
 */
#define PREFETCH_TABLE(n) (((size_t)(n)*2 + 1) * 80)
void prefetch_table(const struct prefetch_list *l,
		    const struct prefetch_fetched *fetched, const char *ram,
		    const char *below, char *text, size_t cap);

/*
 * Prints the table of a mirror of the loop device `ram` and of all of `below`,
 * of which only what was fetched may be used: reads come from RAM, and a write
 * succeeds only on both.  After one that fails on either, the mirror holds
 * writes until it has another table, which does them again.  It is one mirror for
 * all extents, as the kernel needs ms for each.
 */
#define PREFETCH_MIRROR 128
void prefetch_mirror(const struct prefetch_list *l, const char *ram,
		     const char *below, char text[PREFETCH_MIRROR]);

#endif
