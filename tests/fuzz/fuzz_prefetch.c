/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of what a boot reads: what is accepted is printed the same. */
#include "boot/prefetch/extents.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct prefetch_list l;

static void same(bool yes)
{
	if (!yes)
		abort();
}

/* Numbers of the input, as reads. */
static void grow(const uint8_t *data, size_t size)
{
	uint64_t n[2];

	memset(&l, 0, sizeof(l));
	l.sectors = 1u << 20 | 5;
	for (; size >= sizeof(n); data += sizeof(n), size -= sizeof(n)) {
		memcpy(n, data, sizeof(n));
		if (data[7] & 1)
			n[0] %= l.sectors, n[1] %= 512;
		prefetch_add(&l, n[0], n[1]);
	}
	for (unsigned i = 0; i < l.n; i++)
		same(l.e[i].len && l.e[i].start < l.sectors &&
		     l.e[i].len <= l.sectors - l.e[i].start &&
		     (!i || l.e[i].start > l.e[i - 1].start + l.e[i - 1].len));
	prefetch_join(&l, 64);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[PREFETCH_FILE];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };
	char *copy = malloc(size ? size : 1);

	if (size)
		memcpy(copy, data, size);
	if (!prefetch_parse(&l, copy, size, NULL)) {
		prefetch_print(&l, &o);
		same(!o.cut && o.len == size && !memcmp(text, copy, size));
	}
	grow(data, size);
	free(copy);
	return 0;
}
