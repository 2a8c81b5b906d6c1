/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long requests take: for each type of command a histogram by powers of
 * two.  Arithmetic alone: whoever has a clock measures.  The caller owns the
 * memory; all zeroes is empty.
 */
#ifndef NBD_LATENCY_H
#define NBD_LATENCY_H

#include <stdint.h>

#include "port/text.h"

#define NBD_LATENCY_TYPES   8u	/* NBD_CMD_READ to NBD_CMD_BLOCK_STATUS */
#define NBD_LATENCY_BUCKETS 40u /* 2^40 ns are 18 minutes */

struct nbd_latency {
	struct nbd_latency_type {
		uint64_t max; /* ns */
		/* n[i]: 2^i ns and more, less than 2^(i+1); n[0] has 0 too */
		uint64_t n[NBD_LATENCY_BUCKETS];
	} type[NBD_LATENCY_TYPES];
};

/*
 * A request of that type (NBD_CMD_*; others are ignored) took ns nanoseconds;
 * what took longer than the buckets reach counts as the longest they hold.
 */
void nbd_latency_add(struct nbd_latency *l, unsigned type, uint64_t ns);

/*
 * The time within which permille of the requests of that type were done, in
 * ns: exact to the bucket, interpolated within.  0 if there were none.
 */
uint64_t nbd_latency_quantile(const struct nbd_latency *l, unsigned type,
			      unsigned permille);

/* Prints each type of which there was a request; nothing if there was none. */
void nbd_latency_print(const struct nbd_latency *l, struct nbd_out *o);

#endif
