/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of extents, and their text. */
#include "boot/prefetch/extents.h"

#include <string.h>

#define MAGIC "nbdboot-prefetch 1"

/* ---- the text ---- */

struct text {
	const char *p, *end;
	unsigned line;
};

/* Takes the word or fails. */
static bool take(struct text *t, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n) != 0)
		return false;
	t->p += n;
	return true;
}

/* Digits without a leading zero, below PREFETCH_DISK + 1. */
static bool take_number(struct text *t, uint64_t *n)
{
	const char *first = t->p;

	return nbd_take_number(&t->p, t->end, PREFETCH_DISK, n) &&
	       (*first != '0' || t->p == first + 1);
}

static bool take_image(struct text *t, char image[64])
{
	size_t n = 0;

	while (t->p + n < t->end && t->p[n] > ' ' && t->p[n] <= '~' &&
	       t->p[n] != '\\')
		n++;
	if (n >= 64)
		return false;
	memcpy(image, t->p, n);
	image[n] = '\0';
	t->p += n;
	return true;
}

static bool head(struct prefetch_list *l, struct text *t)
{
	if (!take(t, MAGIC "\n"))
		return false;
	t->line++;
	if (!take(t, "image ") || !take_number(t, &l->sectors) ||
	    !take(t, " ") || !take_image(t, l->image) || !take(t, "\n"))
		return false;
	t->line++;
	return true;
}

/* Is it behind all others, and on the device? */
static bool fits(const struct prefetch_list *l, struct prefetch_extent e)
{
	const struct prefetch_extent *last = l->e + l->n - 1;

	return e.len && e.start < l->sectors && e.len <= l->sectors - e.start &&
	       e.start % PREFETCH_ALIGN == 0 &&
	       (e.len % PREFETCH_ALIGN == 0 || e.len == l->sectors - e.start) &&
	       (!l->n || e.start > last->start + last->len);
}

static bool body(struct prefetch_list *l, struct text *t)
{
	struct prefetch_extent e;
	uint64_t n;

	while (!take(t, "end ")) {
		if (!take_number(t, &e.start) || !take(t, " ") ||
		    !take_number(t, &e.len) || !take(t, "\n") ||
		    l->n == PREFETCH_MAX || !fits(l, e))
			return false;
		l->e[l->n++] = e;
		t->line++;
	}
	return take_number(t, &n) && take(t, "\n") && n == l->n &&
	       t->p == t->end;
}

int prefetch_parse(struct prefetch_list *l, const char *text, size_t len,
		   struct nbd_diag *d)
{
	struct text t = { .p = text, .end = text + len, .line = 1 };

	l->n = 0;
	if (head(l, &t) && body(l, &t))
		return NBD_OK;
	l->n = 0;
	return nbd_diag(d, NBD_E_MISMATCH,
			"line %u of the list is wrong, or too many", t.line);
}

void prefetch_print(const struct prefetch_list *l, struct nbd_out *o)
{
	nbd_putf(o, MAGIC "\nimage %llu %s\n", (unsigned long long)l->sectors,
		 l->image);
	for (unsigned i = 0; i < l->n; i++)
		nbd_putf(o, "%llu %llu\n", (unsigned long long)l->e[i].start,
			 (unsigned long long)l->e[i].len);
	nbd_putf(o, "end %u\n", l->n);
}

/* ---- the list ---- */

static uint64_t end_of(struct prefetch_extent e)
{
	return e.start + e.len;
}

static void drop(struct prefetch_list *l, unsigned at, unsigned n)
{
	l->n -= n;
	memmove(l->e + at, l->e + at + n, (l->n - at) * sizeof(l->e[0]));
}

/* The extent i and the next one become one. */
static void fuse(struct prefetch_list *l, unsigned i)
{
	l->e[i].len = end_of(l->e[i + 1]) - l->e[i].start;
	drop(l, i + 1, 1);
}

/* Sets *least to the smallest gap; returns the extent before it. */
static unsigned smallest_gap(const struct prefetch_list *l, uint64_t *least)
{
	unsigned best = 0;

	*least = UINT64_MAX;

	for (unsigned i = 0; i + 1 < l->n; i++) {
		uint64_t gap = l->e[i + 1].start - end_of(l->e[i]);

		if (gap < *least) {
			*least = gap;
			best = i;
		}
	}
	return best;
}

static void make_room(struct prefetch_list *l)
{
	uint64_t gap;

	fuse(l, smallest_gap(l, &gap));
}

/* The first extent that ends at `sector` or behind it. */
static unsigned find(const struct prefetch_list *l, uint64_t sector)
{
	unsigned low = 0, high = l->n;

	while (low < high) {
		unsigned mid = low + (high - low) / 2;

		if (end_of(l->e[mid]) < sector)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void insert(struct prefetch_list *l, struct prefetch_extent e)
{
	unsigned at = find(l, e.start), n = 0;
	uint64_t end = end_of(e);

	while (at + n < l->n && l->e[at + n].start <= end)
		n++;
	if (n) {
		uint64_t last = end_of(l->e[at + n - 1]);

		if (l->e[at].start < e.start)
			e.start = l->e[at].start;
		e.len = (last > end ? last : end) - e.start;
		l->e[at] = e;
		drop(l, at + 1, n - 1);
		return;
	}
	if (l->n == PREFETCH_MAX) {
		make_room(l);
		/* it may lie in that gap now */
		insert(l, e);
		return;
	}
	memmove(l->e + at + 1, l->e + at, (l->n++ - at) * sizeof(e));
	l->e[at] = e;
}

void prefetch_add(struct prefetch_list *l, uint64_t start, uint64_t len)
{
	uint64_t head = start % PREFETCH_ALIGN;

	if (start >= l->sectors || !len)
		return;
	if (len > l->sectors - start)
		len = l->sectors - start;
	start -= head;
	len += head;
	len = (len + PREFETCH_ALIGN - 1) / PREFETCH_ALIGN * PREFETCH_ALIGN;
	if (len > l->sectors - start)
		len = l->sectors - start;
	insert(l, (struct prefetch_extent){ start, len });
}

void prefetch_join(struct prefetch_list *l, uint64_t gap)
{
	unsigned n = 0;

	for (unsigned i = 1; i < l->n; i++) {
		if (l->e[i].start - end_of(l->e[n]) <= gap)
			l->e[n].len = end_of(l->e[i]) - l->e[n].start;
		else
			l->e[++n] = l->e[i];
	}
	if (l->n)
		l->n = n + 1;
}

uint64_t prefetch_sum(const struct prefetch_list *l)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < l->n; i++)
		sum += l->e[i].len;
	return sum;
}

static unsigned shortest(const struct prefetch_list *l)
{
	unsigned best = 0;

	for (unsigned i = 1; i < l->n; i++)
		if (l->e[i].len < l->e[best].len)
			best = i;
	return best;
}

void prefetch_reduce(struct prefetch_list *l, unsigned most)
{
	uint64_t room = prefetch_sum(l) / 8, gap;
	unsigned at;

	while (l->n > most) {
		at = smallest_gap(l, &gap);
		if (gap > room)
			break;
		room -= gap;
		fuse(l, at);
	}
	while (l->n > most)
		drop(l, shortest(l), 1);
}

int prefetch_is_of(const struct prefetch_list *l, const char *image,
		   uint64_t sectors, struct nbd_diag *d)
{
	if (l->sectors == sectors && !strcmp(l->image, image))
		return NBD_OK;
	return nbd_diag(d, NBD_E_MISMATCH,
			"the list is of %s with %llu sectors, and the root is "
			"%s with %llu",
			l->image, (unsigned long long)l->sectors, image,
			(unsigned long long)sectors);
}
