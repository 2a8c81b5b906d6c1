/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long requests take: a histogram by powers of two for each type of
 * command.  The caller measures, and owns the memory; all zeroes is empty.
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
 * A request of that type (NBD_CMD_*; others are ignored) took ns nanoseconds.
 * A longer time than the last bucket holds counts there.
 */
void nbd_latency_add(struct nbd_latency *l, unsigned type, uint64_t ns);

/*
 * The time in ns within which permille of the requests of that type were done,
 * interpolated within a bucket.  0 if there were none.
 */
uint64_t nbd_latency_quantile(const struct nbd_latency *l, unsigned type,
			      unsigned permille);

/* Prints each type that had requests. */
void nbd_latency_print(const struct nbd_latency *l, struct nbd_out *o);

#endif
