/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A copy with a map: it skips what cannot be read, and a later one goes on.
 *
 *   ? --read--> +                    (MAP_NEW, in large pieces)
 *   '--fails--> * --edges--> + or -  (MAP_TRIM, sector by sector)
 *               '--rest----> / --each sector--> + or -
 *                            ^------retry---------'
 *
 * The map in the file counts as copied only what was flushed before.
 */
#include "boot/copy/rescue.h"

#include <string.h>

/* Bytes: the smallest piece, if the sides allow it. */
#define SECTOR 512

/* 2 MiB: too large for a stack. */
static struct rescue rescue;

static bool goes_on(const struct copy *c)
{
	return !c->err && !copy_interrupted && !c->lost;
}

static void keep_areas(struct map *to, const struct map *from)
{
	memcpy(to, from,
	       offsetof(struct map, area) + from->n * sizeof(from->area[0]));
}

/* ---- samples of what is copied ---- */

/*
 * COPY_SAMPLES pieces, evenly spread over what is copied, and the last one,
 * which was written just before the copy ended.
 */
static void compare_each(struct copy *c)
{
	const struct map *m = &c->rescue->map;
	const uint64_t mask = ~(uint64_t)(c->scan.align - 1);
	uint64_t step = (copy_map_sum(m, "?*/-", NULL) / COPY_SAMPLES) & mask;
	uint64_t at = 0, end = 0, skip = 0, last = 0, tail = 0;

	while (goes_on(c) && copy_map_next(m, &at, &end, MAP_DONE)) {
		uint64_t len = end - at;

		tail = end - (len < COPY_SAMPLE ? len : COPY_SAMPLE);
		last = end;
		if (step <= COPY_SAMPLE) {
			copy_samples(c, at, end, 0);
		} else if (skip < len) {
			copy_samples(c, at + skip, end, step);
			skip += (len - skip + step - 1) / step * step;
		}
		skip -= skip < len ? skip : len;
		at = end;
	}
	if (goes_on(c) && last && step > COPY_SAMPLE)
		copy_samples(c, (tail + ~mask) & mask, last, 0);
}

/* A disk that fails may lose samples, too, but not all of them. */
static void compare_samples(struct copy *c)
{
	struct rescue *r = c->rescue;

	c->compared = 0;
	r->sampling = true;
	compare_each(c);
	r->sampling = false;
	if (goes_on(c) && !c->compared && copy_map_sum(&r->map, "?*/-", NULL))
		c->err =
			nbd_diag(c->d, NBD_E_IO,
				 "%s: no sample of what was copied can be read "
				 "any more (is it still the same disk?)",
				 c->src->name);
}

static int resume(struct copy *c)
{
	struct rescue *r = c->rescue;
	struct map_reader m = { .m = &r->map,
				.base = c->src->base,
				.align = c->scan.align };
	int err = copy_rescue_read(c, &m);

	if (err)
		return err;
	if (c->dst->grows && c->dst->size != c->src->size)
		return nbd_diag(c->d, NBD_E_MISMATCH,
				"%s has %llu bytes, and %s is about %llu",
				c->dst->name, (unsigned long long)c->dst->size,
				r->name, (unsigned long long)c->src->size);
	c->prepared = true;
	compare_samples(c);
	if (c->differs)
		return nbd_diag_prefix(c->d, c->err,
				       "what %s calls copied is not in %s",
				       r->name, c->dst->name);
	return copy_interrupted ? 0 : c->err;
}

/* ---- the beginning ---- */

int copy_rescue_begin(struct copy *c, const struct copy_options *o)
{
	struct rescue *r = &rescue;
	const struct side *src = c->src;
	int err;

	if (!o->map && !o->skip_bad)
		return 0;
	if (src->is_pipe || c->dst->is_pipe)
		return nbd_diag(c->d, NBD_E_USAGE,
				"%s is a pipe: a copy with a map begins "
				"anywhere",
				src->is_pipe ? src->name : c->dst->name);
	c->rescue = r;
	r->o = o;
	r->skips = o->skip_bad;
	r->name = o->map ? o->map : o->skip_bad[0] ? o->skip_bad : NULL;
	r->sector = c->scan.align > SECTOR ? c->scan.align : SECTOR;
	r->about =
		(struct map_about){ .whole = src->base + src->size + src->rest,
				    .base = src->base };
	if (src->link)
		nbd_fmt(r->about.identity, MAP_IDENTITY, "%s",
			src->link->identity);
	/* sendfile() could not skip */
	c->straight = false;
	copy_map_begin(&r->map, src->size);
	err = o->resume ? resume(c) : copy_rescue_create(c);
	keep_areas(&r->safe, &r->map);
	r->next = nbd_now_ns() + COPY_MARK_NS;
	return err;
}

/* ---- passes ---- */

/* The rest: what is on the disk of a server, the map counts as safe. */
static void sync_all(struct copy *c)
{
	struct rescue *r = c->rescue;
	const struct copy_link *l = c->dst->link;

	copy_aim(c, c->src->size, c->src->size, 0);
	copy_flush(c);
	r->next = nbd_now_ns() + COPY_MARK_NS;
	if (!goes_on(c) || !l)
		return;
	if (l->flags & NBD_FLAG_SEND_FLUSH)
		keep_areas(&r->safe, &r->map);
	c->err = copy_rescue_keep(c, c->d);
}

/* Copies what has the state `of`; what fails becomes `bad`. */
static void pass(struct copy *c, uint64_t at, uint64_t end, char of, char bad)
{
	struct rescue *r = c->rescue;

	r->from = at;
	r->of = of;
	r->bad = bad;
	copy_aim(c, at, end, 0);
	copy_pass(c, false);
	copy_rescue_reach(c, copy_low_water(c));
	if (copy_rescue_is_due(c) && goes_on(c))
		sync_all(c);
}

static void copy_new(struct copy *c, uint64_t at, uint64_t end)
{
	pass(c, at, end, MAP_NEW, MAP_TRIM);
}

/* Returns false if the sector at `at` failed, or the copy ends. */
static bool trim_one(struct copy *c, uint64_t at, uint64_t end)
{
	uint64_t found = at, stop;

	pass(c, at, end, MAP_TRIM, MAP_BAD);
	return goes_on(c) &&
	       !(copy_map_next(&c->rescue->map, &found, &stop, MAP_BAD) &&
		 found == at);
}

/* From both ends up to the first sector that fails. */
static void trim(struct copy *c, uint64_t at, uint64_t end)
{
	struct rescue *r = c->rescue;
	uint64_t first = at, last = end, next;
	bool good = true;

	for (; good && first < end; first = next) {
		next = end - first > r->sector ? first + r->sector : end;
		good = trim_one(c, first, next);
	}
	for (good = true; good && last > first; last = next) {
		next = (last - 1) & ~(uint64_t)(r->sector - 1);
		if (next < first)
			next = first;
		good = trim_one(c, next, last);
	}
	if (goes_on(c) && copy_map_turn(&r->map, at, end, MAP_TRIM, MAP_SCRAPE))
		c->err = copy_rescue_too_many(c);
}

static void scrape(struct copy *c, uint64_t at, uint64_t end)
{
	uint32_t piece = c->src->piece;

	c->src->piece = c->rescue->sector;
	pass(c, at, end, MAP_SCRAPE, MAP_BAD);
	c->src->piece = piece;
}

static void phase(struct copy *c, char of,
		  void (*work)(struct copy *c, uint64_t at, uint64_t end))
{
	uint64_t at = 0, end;

	while (goes_on(c) && copy_map_next(&c->rescue->map, &at, &end, of))
		work(c, at, end);
}

/* What failed before is worth the same attempts. */
static void retry(struct copy *c)
{
	struct map *m = &c->rescue->map;

	if (goes_on(c) && copy_map_turn(m, 0, m->size, MAP_BAD, MAP_SCRAPE))
		c->err = copy_rescue_too_many(c);
	phase(c, MAP_SCRAPE, scrape);
}

static void say_failures(struct copy *c)
{
	struct nbd_diag note;
	unsigned areas;
	uint64_t n = copy_map_sum(&c->rescue->map, "+", &areas);

	if (!n || !c->rescue->o->say || !goes_on(c))
		return;
	nbd_diag(&note, 0,
		 "%llu bytes in %u areas of %s cannot be read; again, in "
		 "smaller pieces",
		 (unsigned long long)n, areas, c->src->name);
	copy_progress_clear(&c->progress);
	c->rescue->o->say(&note);
}

/* All that is missing; the first error ends the copy. */
static void copy_each(struct copy *c)
{
	uint64_t at, end;

	for (const char *of = "?*/-"; *of; of++)
		for (at = 0; goes_on(c) &&
			     copy_map_next(&c->rescue->map, &at, &end, *of);)
			pass(c, at, end, *of, *of);
}

static void phases(struct copy *c)
{
	if (!c->rescue->skips) {
		copy_each(c);
		return;
	}
	phase(c, MAP_NEW, copy_new);
	say_failures(c);
	phase(c, MAP_TRIM, trim);
	phase(c, MAP_SCRAPE, scrape);
	for (unsigned i = c->rescue->o->retries; i; i--)
		retry(c);
}

/* A server may have lost what it had not flushed. */
static void restore(struct copy *c)
{
	c->lost = false;
	keep_areas(&c->rescue->map, &c->rescue->safe);
	compare_samples(c);
	if (c->differs)
		nbd_diag_prefix(c->d, c->err,
				"%s was away, and came back without what it "
				"had flushed",
				c->dst->name);
}

/* So does a disk that has become shorter. */
static bool fails_at_end(const struct map *m)
{
	return m->n && m->area[m->n - 1].state != MAP_DONE;
}

uint64_t copy_rescue_all(struct copy *c)
{
	do {
		if (c->lost)
			restore(c);
		phases(c);
		copy_end_pass(c);
		if (goes_on(c) && fails_at_end(&c->rescue->map))
			c->err = copy_side_recheck(c->src, c->d);
		if (goes_on(c))
			c->err = copy_prepare(c);
		if (goes_on(c))
			sync_all(c);
	} while (!c->err && !copy_interrupted && c->lost);
	return copy_map_sum(&c->rescue->map, "?*/-", NULL);
}

/* A map that is wrong about one piece is not believed any more. */
void copy_rescue_verify(struct copy *c)
{
	struct map *m = &c->rescue->map;
	uint64_t at = 0, end;

	for (; goes_on(c) && copy_map_next(m, &at, &end, MAP_DONE); at = end) {
		copy_aim(c, at, end, 0);
		copy_pass(c, true);
		copy_end_pass(c);
	}
	if (c->differs)
		copy_map_begin(m, m->size);
	c->compare = false;
	if (c->differs && c->dst->link)
		copy_rescue_keep(c, NULL);
}

/* ---- the end ---- */
