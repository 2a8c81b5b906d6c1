/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The heap of static programs: one block, for the one list of addresses that
 * musl's getaddrinfo() makes at a time.  Nothing else allocates, and musl's own
 * heap takes 7 KB of code and pages that a watcher locks.
 */
#include <errno.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* At most 48 addresses of 88 bytes and a name of 256 (musl 1.2.3). */
#define SIZE 8192u

static struct {
	alignas(max_align_t) unsigned char block[SIZE];
	bool taken;
} heap;

void *calloc(size_t n, size_t size)
{
	if (heap.taken || (size && n > SIZE / size)) {
		errno = ENOMEM;
		return NULL;
	}
	heap.taken = true;
	return memset(heap.block, 0, n * size);
}

void free(void *p)
{
	if (p)
		heap.taken = false;
}
