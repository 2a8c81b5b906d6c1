/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reads of one block device, as the kernel traces them: the event
 * block:block_bio_queue, in an instance of tracefs that nobody else uses.
 */
#ifndef BOOT_PREFETCH_TRACE_H
#define BOOT_PREFETCH_TRACE_H

#include <sys/types.h>

#include "boot/prefetch/extents.h"

struct prefetch_trace {
	int pipe, instances; /* -1: no tracing */
	/* sectors of the traced device before what the list is of */
	uint64_t skip;
	size_t len;
	char buf[4096]; /* of them len bytes: the beginning of a line */
};

/*
 * Begins to record the reads of the block device dev, and those of `below`, which
 * it maps one to one, if that is not 0: systemd and udev look for file systems
 * on the one at one boot, and on the other at the next.  t->skip is the caller's:
 * the kernel traces the reads of a partition as those of its disk.  Mounts tracefs for a
 * moment, where only this program looks.  After a failure nothing of it is
 * left.
 */
int prefetch_trace_open(struct prefetch_trace *t, const char *dev, dev_t below,
			struct nbd_diag *d);
/* Adds the reads since the last call to the list; returns how many. */
unsigned prefetch_trace_read(struct prefetch_trace *t, struct prefetch_list *l);
/* The same of text as the kernel writes it; a line may come in parts. */
unsigned prefetch_trace_take(struct prefetch_trace *t, struct prefetch_list *l,
			     const char *text, size_t len);
/* Frees the memory of the instance. */
void prefetch_trace_close(struct prefetch_trace *t);

#endif
