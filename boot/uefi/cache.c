/* SPDX-License-Identifier: BSD-2-Clause */
/* The cache: slots of one or several lines; the least recently used goes. */
#include "boot/uefi/cache.h"

#include <string.h>

static struct uefi_cache_slot *find(struct uefi_cache *c, uint64_t offset)
{
	for (unsigned i = 0; i < UEFI_CACHE_SLOTS; i++) {
		struct uefi_cache_slot *s = &c->slot[i];

		if (offset >= s->offset && offset - s->offset < s->len)
			return s;
	}
	return NULL;
}

static struct uefi_cache_slot *oldest(struct uefi_cache *c)
{
	struct uefi_cache_slot *s = &c->slot[0];

	for (unsigned i = 1; i < UEFI_CACHE_SLOTS && s->len; i++)
		if (!c->slot[i].len || c->slot[i].used < s->used)
			s = &c->slot[i];
	return s;
}

static unsigned char *mem_of(const struct uefi_cache *c,
			     const struct uefi_cache_slot *s)
{
	return c->mem + (size_t)(s - c->slot) * UEFI_CACHE_SLOT;
}

/* Reads the line that holds offset, or several if the reads are sequential. */
static int fill(struct uefi_cache *c, uint64_t offset,
		struct uefi_cache_slot **slot)
{
	uint64_t at = offset - offset % UEFI_CACHE_LINE;
	uint64_t len = at == c->next && at ? UEFI_CACHE_SLOT : UEFI_CACHE_LINE;
	struct uefi_cache_slot *s = oldest(c);
	int rc;

	if (len > c->size - at)
		len = c->size - at;
	s->len = 0;
	rc = c->fetch(c->ctx, at, mem_of(c, s), (size_t)len);
	if (rc)
		return rc;
	s->offset = at;
	s->len = (uint32_t)len;
	c->next = at + len;
	*slot = s;
	return 0;
}

int uefi_cache_read(struct uefi_cache *c, uint64_t offset, void *buf,
		    size_t len)
{
	unsigned char *to = buf;

	if (len >= UEFI_CACHE_LINE)
		return c->fetch(c->ctx, offset, buf, len);
	while (len) {
		struct uefi_cache_slot *s = find(c, offset);
		int rc = s ? 0 : fill(c, offset, &s);
		size_t skip, n;

		if (rc)
			return rc;
		s->used = ++c->now;
		skip = (size_t)(offset - s->offset);
		n = s->len - skip < len ? s->len - skip : len;
		memcpy(to, mem_of(c, s) + skip, n);
		to += n;
		offset += n;
		len -= n;
	}
	return 0;
}

void uefi_cache_drop(struct uefi_cache *c, uint64_t offset, uint64_t len)
{
	for (unsigned i = 0; i < UEFI_CACHE_SLOTS; i++) {
		struct uefi_cache_slot *s = &c->slot[i];

		if (s->offset < offset ? offset - s->offset < s->len
				       : s->offset - offset < len)
			s->len = 0;
	}
}
