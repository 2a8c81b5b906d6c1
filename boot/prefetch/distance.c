/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel counts the reads of a device, and their time: none is made for it. */
#include "boot/prefetch/distance.h"

#include "port/linux/nbdk.h"

static struct prefetch_reads reads_of(int index)
{
	struct nbdk_stat s;

	nbdk_stat(index, &s);
	return (struct prefetch_reads){ s.kind[NBDK_READ].n,
					s.kind[NBDK_READ].ms };
}

void prefetch_distance_begin(struct prefetch_reads r[PREFETCH_DEVICES])
{
	for (int i = 0; i < PREFETCH_DEVICES; i++)
		r[i] = reads_of(i);
}

uint32_t prefetch_distance(const struct prefetch_reads r[PREFETCH_DEVICES],
			   int index)
{
	struct prefetch_reads now;
	uint64_t us;

	if (index < 0 || index >= PREFETCH_DEVICES)
		return 0;
	now = reads_of(index);
	/* fewer than before: the device was made anew */
	if (now.n < r[index].n || now.ms < r[index].ms)
		return 0;
	now.n -= r[index].n;
	now.ms -= r[index].ms;
	if (!now.n)
		return 0;
	us = now.ms * 1000 / now.n;
	return !us ? 1 : us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}
