/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for mbedTLS: first fit, from a list of free blocks sorted by address.
 * Free memory is zero except for the headers of the list, so pages that were
 * never allocated are never touched.
 *
 * mbedTLS's own pool (memory_buffer_alloc.c) clears its whole buffer first,
 * which takes 1 ms for each 1 to 2 MiB and makes all its pages resident.
 */
#include "port/mbedtls/pool.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Room for at least two CA bundles (200 KiB as text, four times that when
 * parsed), and 72 KiB for each connection of both sides of a copy, most of it
 * for records (records.h).
 */
#define SIZE (2048u * 1024u + 72u * 1024u * 2 * CONFIG_PORT_MAX_CONNECTIONS)

struct block {
	_Alignas(16) size_t size; /* bytes, with this header */
	struct block *next;	  /* the next free block, or IN_USE */
};
#define UNIT   sizeof(struct block)
#define IN_USE (&pool.list)

/* One per process, because mbedTLS has one calloc() for all sessions. */
static struct {
	struct block list; /* its next is the first free block */
	struct block all[SIZE / UNIT];
} pool;

static void open_pool(void)
{
	size_t page = (size_t)getpagesize();
	char *start = (char *)&pool - (uintptr_t)&pool % page;

	madvise(start, (size_t)((char *)(&pool + 1) - start), MADV_DONTDUMP);
	pool.all[0].size = sizeof(pool.all);
	pool.list.next = pool.all;
	pool.list.size = UNIT;
}

void *pool_calloc(size_t n, size_t size)
{
	struct block *prev = &pool.list, *b, *rest;
	size_t need;

	if (!pool.list.size)
		open_pool();
	if (size && n > SIZE / size)
		return NULL;
	need = (UNIT + n * size + UNIT - 1) / UNIT * UNIT;
	while ((b = prev->next) && b->size < need)
		prev = b;
	if (!b)
		return NULL;
	prev->next = b->next;
	if (b->size > need) {
		rest = b + need / UNIT;
		*rest = (struct block){ b->size - need, b->next };
		prev->next = rest;
	}
	*b = (struct block){ need, IN_USE };
	return b + 1;
}

/* Joins a free block with the next free one if they are adjacent. */
static void join(struct block *b)
{
	struct block *next = b->next;

	if (b + b->size / UNIT != next)
		return;
	b->size += next->size;
	b->next = next->next;
	memset(next, 0, UNIT);
}

void pool_free(void *p)
{
	struct block *prev = &pool.list, *b;

	if (!p)
		return;
	b = (struct block *)p - 1;
	/* freed twice, or overwritten: stop before more is corrupted */
	if (b->next != IN_USE)
		__builtin_trap();
	explicit_bzero(p, b->size - UNIT);
	while (prev->next && prev->next < b)
		prev = prev->next;
	b->next = prev->next;
	prev->next = b;
	join(b);
	if (prev != &pool.list)
		join(prev);
}
