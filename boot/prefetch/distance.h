/* SPDX-License-Identifier: BSD-2-Clause */
/* How near the server is: near by, a fetch costs more time than it saves. */
#ifndef BOOT_PREFETCH_DISTANCE_H
#define BOOT_PREFETCH_DISTANCE_H

#include "port/port.h"

/*
 * ms that a read takes from where on a fetch should pay: reckoned from the figures of
 * bench-distance at 20 ms, not measured near it.
 */
#define PREFETCH_FAR_MS	 2u
/* Devices whose reads are known; of others the distance is not. */
#define PREFETCH_DEVICES 16

/* What the kernel has counted of a device, which may have had another server. */
struct prefetch_reads {
	uint64_t n, ms;
};

/* Before the root's device is connected. */
void prefetch_distance_begin(struct prefetch_reads r[PREFETCH_DEVICES]);
/*
 * The mean of the reads of nbdN since then in us, at least 1; 0: it is not known.
 *
 * At the begin of a boot these are the reads of the partition table.  Every
 * machine of an image reads it: a server that has it in its memory has there what
 * else they boot from, and one with a slow disk shows that.
 */
uint32_t prefetch_distance(const struct prefetch_reads r[PREFETCH_DEVICES],
			   int index);

#endif
