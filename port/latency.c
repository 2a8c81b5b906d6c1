/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms of completion times, in the shape of biolatency:
 *
 *   read: count 256, p50 171, p99 498, max 512 usecs
 *        usecs               : count    distribution
 *          131 -> 262        : 240      |****************************|
 *          262 -> 524        : 16       |*                           |
 */
#include "port/latency.h"
#include "core/nbd_io.h"

#define NS_MAX ((UINT64_C(1) << NBD_LATENCY_BUCKETS) - 1)
#define BAR    40u

void nbd_latency_add(struct nbd_latency *l, unsigned type, uint64_t ns)
{
	struct nbd_latency_type *t;

	if (type >= NBD_LATENCY_TYPES)
		return;
	t = &l->type[type];
	if (ns > NS_MAX)
		ns = NS_MAX;
	if (ns > t->max)
		t->max = ns;
	t->n[63 - __builtin_clzll(ns | 1)]++;
}

static uint64_t total(const struct nbd_latency_type *t)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < NBD_LATENCY_BUCKETS; i++)
		sum += t->n[i];
	return sum;
}

/* The k-th request of bucket i, as if they were spread evenly in it. */
static uint64_t within(const struct nbd_latency_type *t, unsigned i, uint64_t k)
{
	uint64_t low = UINT64_C(1) << i, n = t->n[i], v;

	/* 2^39 times 2^24 still fits, and is exact enough */
	for (; n >> 24; n >>= 1)
		k >>= 1;
	v = low + low * k / n;
	return v < t->max ? v : t->max;
}

uint64_t nbd_latency_quantile(const struct nbd_latency *l, unsigned type,
			      unsigned permille)
{
	const struct nbd_latency_type *t = &l->type[type];
	uint64_t n = total(t);
	/* rounded up: 99 % of 10 requests are 10 */
	uint64_t k = n / 1000 * permille + (n % 1000 * permille + 999) / 1000;

	for (unsigned i = 0; i < NBD_LATENCY_BUCKETS; i++) {
		if (t->n[i] && k <= t->n[i])
			return within(t, i, k);
		k -= t->n[i];
	}
	return 0;
}

static void print_bar(struct nbd_out *o, uint64_t n, uint64_t most)
{
	for (unsigned i = 1; i <= BAR; i++)
		nbd_put(o, n >= (most * i + BAR - 1) / BAR ? "*" : " ", 1);
}

/* Rows from the first to the last bucket that is not empty. */
static void print_rows(const struct nbd_latency_type *t, unsigned first,
		       unsigned unit, struct nbd_out *o)
{
	unsigned last = first;
	uint64_t most = 0;

	for (unsigned i = first; i < NBD_LATENCY_BUCKETS; i++) {
		if (t->n[i])
			last = i;
		if (t->n[i] > most)
			most = t->n[i];
	}
	for (unsigned i = first; i <= last; i++) {
		uint64_t low = i ? UINT64_C(1) << i : 0;
		uint64_t high = (UINT64_C(2) << i) - 1;

		nbd_putf(o, "%10llu -> %-10llu : %-8llu |",
			 (unsigned long long)(low / unit),
			 (unsigned long long)(high / unit),
			 (unsigned long long)t->n[i]);
		print_bar(o, t->n[i], most);
		nbd_put(o, "|\n", 2);
	}
}

static void print_type(const struct nbd_latency *l, unsigned type,
		       struct nbd_out *o)
{
	static const char *const names[NBD_LATENCY_TYPES] = {
		[NBD_CMD_READ] = "read",
		[NBD_CMD_WRITE] = "write",
		[NBD_CMD_DISC] = "disconnect",
		[NBD_CMD_FLUSH] = "flush",
		[NBD_CMD_TRIM] = "trim",
		[NBD_CMD_CACHE] = "cache",
		[NBD_CMD_WRITE_ZEROES] = "write-zeroes",
		[NBD_CMD_BLOCK_STATUS] = "block-status",
	};
	const struct nbd_latency_type *t = &l->type[type];
	unsigned first = 0, unit;

	while (!t->n[first])
		first++;
	/* from 2^10 ns on no two buckets are the same in microseconds */
	unit = first >= 10 ? 1000 : 1;
	nbd_putf(o, "%s: count %llu, p50 %llu, p99 %llu, max %llu %s\n",
		 names[type], (unsigned long long)total(t),
		 (unsigned long long)nbd_latency_quantile(l, type, 500) / unit,
		 (unsigned long long)nbd_latency_quantile(l, type, 990) / unit,
		 (unsigned long long)t->max / unit,
		 unit > 1 ? "usecs" : "nsecs");
	nbd_putf(o, "     %s               : count    distribution\n",
		 unit > 1 ? "usecs" : "nsecs");
	print_rows(t, first, unit, o);
}

void nbd_latency_print(const struct nbd_latency *l, struct nbd_out *o)
{
	for (unsigned i = 0; i < NBD_LATENCY_TYPES; i++)
		if (total(&l->type[i]))
			print_type(l, i, o);
}
