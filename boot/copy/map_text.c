/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The map file of GNU ddrescue.  It comes from anybody's disk: what is not as
 * its manual says is refused.
 */
#include "boot/copy/map.h"
#include "core/nbd_err.h"

#include <string.h>

#define ABOUT "# nbdboot: source "

void copy_map_put(struct nbd_out *o, const struct map *m,
		  const struct map_about *a)
{
	const char *left = "?*/+"; /* the phase, and where it goes on */
	uint64_t at = 0, end;

	while (*left != MAP_DONE && !copy_map_next(m, &at, &end, *left))
		left++;
	nbd_putf(
		o,
		"# Mapfile of nbdboot copy, in the format of GNU ddrescue\n" ABOUT
		"%llu %llu %s\n"
		"# current_pos  current_status  current_pass\n"
		"0x%08llx     %c               1\n"
		"#      pos        size  status\n",
		(unsigned long long)a->whole, (unsigned long long)a->base,
		a->identity[0] ? a->identity : "-",
		(unsigned long long)a->base + at, *left);
	for (unsigned i = 0; i < m->n; i++) {
		end = i + 1 < m->n ? m->area[i + 1].at : m->size;
		nbd_putf(o, "0x%08llx  0x%08llx  %c\n",
			 (unsigned long long)a->base + m->area[i].at,
			 (unsigned long long)(end - m->area[i].at),
			 m->area[i].state);
	}
}

/* ---- reading it ---- */

#define MOST ((uint64_t)INT64_MAX)

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *p)
{
	while (is_blank(*p))
		p++;
	return *p == '#' ? p + strlen(p) : p;
}

/* Returns 16 and more for what is no digit of any base. */
static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/* An integer as in C, and a blank; returns what follows them, or NULL. */
static const char *number(const char *p, uint64_t *n)
{
	unsigned base = 10;
	const char *first;

	if (!p)
		return NULL;
	if (*p == '0' && (p[1] | 0x20) == 'x') {
		base = 16;
		p += 2;
	} else if (*p == '0') {
		base = 8;
	}
	first = p;
	for (*n = 0; digit(*p) < base; p++) {
		if (*n > (MOST - digit(*p)) / base)
			return NULL;
		*n = *n * base + digit(*p);
	}
	return p > first && is_blank(*p) ? skip_blanks(p) : NULL;
}

/* One of these characters, at the end of a word. */
static const char *letter(const char *p, const char *of, char *c)
{
	if (!p || !*p || !strchr(of, *p) || (p[1] && !is_blank(p[1])))
		return NULL;
	*c = *p;
	return skip_blanks(p + 1);
}

/* A comment that is not ours is one of ddrescue, or of a person. */
static int take_comment(struct map_reader *r, const char *p)
{
	size_t len = strlen(ABOUT);

	if (strncmp(p, ABOUT, len) != 0)
		return 0;
	p = number(p + len, &r->about.whole);
	p = number(p, &r->about.base);
	len = p ? strcspn(p, " \t\r") : 0;
	if (!len || len >= MAP_IDENTITY || *skip_blanks(p + len))
		return NBD_E_PROTOCOL;
	memcpy(r->about.identity, p, len);
	r->about.identity[len > 1 || *p != '-' ? len : 0] = '\0';
	r->has_about = true;
	return 0;
}

/* The status line: "position status [pass]"; ddrescue 1.20 added the pass. */
static int take_status(struct map_reader *r, const char *p)
{
	uint64_t n;
	char c;

	p = letter(number(p, &n), "?*/-FG+", &c);
	if (!p)
		return NBD_E_PROTOCOL;
	for (; *p >= '0' && *p <= '9'; p++)
		;
	r->has_status = true;
	return *skip_blanks(p) ? NBD_E_PROTOCOL : 0;
}

/* Sets the part of [at, end) that is in the map. */
static int set(const struct map_reader *r, uint64_t at, uint64_t end, char c)
{
	uint64_t mask = r->align - 1, size = r->m->size;
	bool done = c == MAP_DONE;

	at = at < r->base ? 0 : at - r->base;
	end = end < r->base ? 0 : end - r->base;
	if (at > size)
		at = size;
	at = done ? (at + mask) & ~mask : at & ~mask;
	if (end < size)
		end = done ? end & ~mask : (end + mask) & ~mask;
	return copy_map_set(r->m, at, end < size ? end : size, c);
}

static int take_area(struct map_reader *r, const char *p)
{
	uint64_t at = 0, len = 0;
	char c;

	p = letter(number(number(p, &at), &len), "?*/-+", &c);
	if (!p || *p || !len || len > MOST - at || (r->has_area && at != r->to))
		return NBD_E_PROTOCOL;
	if (!r->has_area)
		r->from = at;
	r->has_area = true;
	r->to = at + len;
	return set(r, at, at + len, c);
}

int copy_map_take(struct map_reader *r, const char *line)
{
	const char *p = skip_blanks(line);

	if (*line == '#')
		return take_comment(r, line);
	if (!*p)
		return 0;
	return r->has_status ? take_area(r, p) : take_status(r, p);
}

int copy_map_end(const struct map_reader *r)
{
	return r->has_area && r->from <= r->base && r->to >= r->base &&
			       r->to - r->base >= r->m->size
		       ? 0
		       : NBD_E_MISMATCH;
}
