/* SPDX-License-Identifier: BSD-2-Clause */
/* What a fetch was good for, as a file in /run, a line for each number. */
#ifndef BOOT_PREFETCH_SEEN_H
#define BOOT_PREFETCH_SEEN_H

#include "port/port.h"

#define PREFETCH_SEEN "nbdboot/prefetch.seen"

enum prefetch_number {
	PREFETCH_DEVICE,    /* N of nbdN */
	PREFETCH_READS,	    /* of the root, up to the end of the boot */
	PREFETCH_RAM_READS, /* ... of them from RAM */
	PREFETCH_KIB,
	PREFETCH_RAM_KIB,
	PREFETCH_FETCHED_KIB, /* RAM that was taken for it */
	PREFETCH_VAIN_KIB,    /* ... of that what was not read */
	PREFETCH_CACHE_KIB,   /* of PREFETCH_KIB: from a local device */
	PREFETCH_WAITED_MS,   /* for all of the reads, one after the other */
	PREFETCH_NEAR_US, /* a read took, so that nothing was fetched; or 0 */
	PREFETCH_NUMBERS
};

struct prefetch_seen {
	uint64_t n[PREFETCH_NUMBERS];
};

#ifdef CONFIG_BOOT_PREFETCH

/* "reads", as a file and as metrics name it. */
const char *prefetch_seen_name(enum prefetch_number i);
/* Writes the file; run is an open /run.  Returns 0, or as file_write(). */
int prefetch_seen_write(const struct prefetch_seen *s, int run);
/* Reads exactly what was written.  False: there is none, or it is another's. */
bool prefetch_seen_read(struct prefetch_seen *s);
/* The same of a text. */
bool prefetch_seen_parse(struct prefetch_seen *s, const char *text);
/* "831 of 1031 reads came from RAM, ...": a sentence without its end. */
void prefetch_seen_print(const struct prefetch_seen *s, struct nbd_out *o);

#else

static inline bool prefetch_seen_read(struct prefetch_seen *s)
{
	(void)s;
	return false;
}

static inline const char *prefetch_seen_name(enum prefetch_number i)
{
	(void)i;
	return "";
}

static inline void prefetch_seen_print(const struct prefetch_seen *s,
				       struct nbd_out *o)
{
	(void)s, (void)o;
}

#endif
#endif
