/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heads of a cache, with any sum and with the right one: what is accepted has
 * room in its half, and is printed the same.
 */
#include "boot/cache/half.h"
#include "port/fnv1a.h"

#include <stdlib.h>
#include <string.h>

#define SIZE (60u << 20)
#define SUM  21u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct cache_half h;
static struct prefetch_list work;
static char again[CACHE_HEAD];

static void same(bool yes)
{
	if (!yes)
		abort();
}

static void look(const char *text, size_t len)
{
	uint64_t room = cache_room(SIZE), end = 0;

	if (cache_head_parse(&h, text, len, SIZE, 0, NULL)) {
		same(!h.list.n);
		return;
	}
	for (unsigned i = 0; i < h.list.n; i++) {
		same(h.list.e[i].start >= end && h.list.e[i].len &&
		     h.list.e[i].start < h.list.sectors &&
		     h.list.e[i].len <= h.list.sectors - h.list.e[i].start);
		end = h.list.e[i].start + h.list.e[i].len;
	}
	same(prefetch_sum(&h.list) <= room);
	cache_head_print(&h, 0, again);
	same(!memcmp(again, text, strlen(again)));
	cache_choose(&h.list, NULL, room / 3, &work);
	same(prefetch_sum(&h.list) <= room / 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = size + SUM + 1;
	char *text = calloc(1, len);
	uint64_t sum = NBD_FNV1A;

	if (size)
		memcpy(text, data, size);
	if (len > CACHE_HEAD)
		len = CACHE_HEAD;
	look(text, len);
	for (size_t i = 0; i < size; i++)
		sum = nbd_fnv1a(sum, data[i]);
	nbd_fmt(text + size, SUM + 1, "sum %016llx\n", (unsigned long long)sum);
	look(text, len);
	free(text);
	return 0;
}
