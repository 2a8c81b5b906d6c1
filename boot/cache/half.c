/* SPDX-License-Identifier: BSD-2-Clause */
/* Heads of a cache, and what is kept in one: no I/O here. */
#include "boot/cache/half.h"

#include <string.h>

#include "core/nbd_uri.h"
#include "port/fnv1a.h"

#define MAGIC	 "nbdboot-cache "
#define VERSION	 MAGIC "1"
#define SECTOR	 512u
/* Bytes of the line with the sum. */
#define SUM_LINE 21u

/* ---- where things are ---- */

/* Bytes of a half: whole MiB. */
static uint64_t half_of(uint64_t size)
{
	return size < 2 * CACHE_END ? 0
				    : (size - 2 * CACHE_END) / CACHE_HALVES /
					      CACHE_END * CACHE_END;
}

uint64_t cache_room(uint64_t size)
{
	uint64_t half = half_of(size);

	return half ? (half - CACHE_HEAD) / SECTOR : 0;
}

uint64_t cache_head_at(uint64_t size, unsigned half)
{
	return CACHE_END + half * half_of(size);
}

uint64_t cache_data_at(uint64_t size, unsigned half)
{
	return cache_head_at(size, half) + CACHE_HEAD;
}

void cache_label(char text[CACHE_LABEL], uint64_t size)
{
	memset(text, 0, CACHE_LABEL);
	nbd_fmt(text, CACHE_LABEL, VERSION " %llu\n",
		(unsigned long long)(size / SECTOR));
}

/* ---- heads ---- */

static uint64_t sum_of(const char *text, size_t len)
{
	uint64_t sum = NBD_FNV1A;

	for (size_t i = 0; i < len; i++)
		sum = nbd_fnv1a(sum, (unsigned char)text[i]);
	return sum;
}

static void put_first(char *line, size_t cap, const struct cache_half *h,
		      unsigned half)
{
	nbd_fmt(line, cap, VERSION " %u %llu %llu %016llx", half,
		(unsigned long long)h->turn, (unsigned long long)h->device,
		(unsigned long long)h->sum);
}

void cache_head_print(const struct cache_half *h, unsigned half,
		      char text[CACHE_HEAD])
{
	struct nbd_out o = { .buf = text, .cap = CACHE_HEAD - SUM_LINE - 1 };
	char line[96];

	memset(text, 0, CACHE_HEAD);
	put_first(line, sizeof(line), h, half);
	nbd_putf(&o, "%s\n", line);
	prefetch_print(&h->list, &o);
	nbd_fmt(text + o.len, SUM_LINE + 1, "sum %016llx\n",
		(unsigned long long)sum_of(text, o.len));
}

static bool take_hex(const char *p, uint64_t *n)
{
	*n = 0;
	for (unsigned i = 0; i < 16; i += 2) {
		int byte = nbd_hex_byte(p + i);

		if (byte < 0)
			return false;
		*n = *n << 8 | (unsigned)byte;
	}
	return true;
}

/* The first line.  Returns what is behind it, or NULL. */
static const char *take_first(struct cache_half *h, const char *p,
			      const char *end, unsigned half)
{
	char again[96];
	const char *line = p;
	uint64_t n;

	p += sizeof(VERSION); /* and a blank */
	if (end - p < 2 || !nbd_take_number(&p, end, CACHE_HALVES, &n) ||
	    p >= end || *p++ != ' ' ||
	    !nbd_take_number(&p, end, INT64_MAX, &h->turn) || p >= end ||
	    *p++ != ' ' || !nbd_take_number(&p, end, INT64_MAX, &h->device) ||
	    end - p < 18 || !take_hex(p + 1, &h->sum))
		return NULL;
	p += 17;
	/* one text for each */
	put_first(again, sizeof(again), h, half);
	return strlen(again) == (size_t)(p - line) && *p == '\n' &&
			       !memcmp(again, line, strlen(again))
		       ? p + 1
		       : NULL;
}

static bool take(struct cache_half *h, const char *text, size_t len,
		 uint64_t size, unsigned half)
{
	const char *end = text + len, *list, *last;
	uint64_t sum;

	if (len < sizeof(VERSION) + SUM_LINE)
		return false;
	last = end - SUM_LINE;
	if (memcmp(last, "sum ", 4) != 0 || end[-1] != '\n' ||
	    !take_hex(last + 4, &sum) || sum != sum_of(text, len - SUM_LINE))
		return false;
	list = take_first(h, text, last, half);
	return list && h->device == size / SECTOR &&
	       !prefetch_parse(&h->list, list, (size_t)(last - list), NULL) &&
	       h->list.n && prefetch_sum(&h->list) <= cache_room(size);
}

int cache_head_parse(struct cache_half *h, const char *text, size_t len,
		     uint64_t size, unsigned half, struct nbd_diag *d)
{
	const char *nul = memchr(text, 0, len);

	h->list.n = 0;
	if (len < sizeof(MAGIC) - 1 ||
	    memcmp(text, MAGIC, sizeof(MAGIC) - 1) != 0)
		return nbd_diag(d, NBD_E_NOT_FOUND, "it has nothing yet");
	if (nul && take(h, text, (size_t)(nul - text), size, half))
		return NBD_OK;
	h->list.n = 0;
	return nbd_diag(d, NBD_E_MISMATCH,
			"its head is damaged, or of another version or device");
}

/* ---- what is kept ---- */

/* Shortens or drops the longest until no more than `room` is left. */
static void fit(struct prefetch_list *l, uint64_t room)
{
	uint64_t sum = prefetch_sum(l), len, left;
	unsigned longest;

	while (sum > room) {
		longest = 0;
		for (unsigned i = 1; i < l->n; i++)
			if (l->e[i].len > l->e[longest].len)
				longest = i;
		len = l->e[longest].len;
		left = len > sum - room ? len - (sum - room) : 0;
		left -= left % PREFETCH_ALIGN;
		sum -= len - left;
		l->e[longest].len = left;
		if (!left) {
			l->n--;
			memmove(l->e + longest, l->e + longest + 1,
				(l->n - longest) * sizeof(l->e[0]));
		}
	}
}

static void add_all(struct prefetch_list *l, const struct prefetch_list *more)
{
	for (unsigned i = 0; i < more->n; i++)
		prefetch_add(l, more->e[i].start, more->e[i].len);
}

bool cache_choose(struct prefetch_list *l, const struct prefetch_list *old,
		  uint64_t room, struct prefetch_list *work)
{
	if (!old) {
		fit(l, room);
		return l->n > 0;
	}
	*work = *l;
	add_all(work, old);
	if (prefetch_sum(work) / 2 <= prefetch_sum(l))
		*l = *work;
	fit(l, room);
	*work = *old;
	add_all(work, l);
	return prefetch_sum(work) - prefetch_sum(old) > prefetch_sum(l) / 100;
}
