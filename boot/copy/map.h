/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What became of each part of a source, in memory and as text.  The text is the
 * map file of GNU ddrescue ("Mapfile structure" in its manual), with a comment
 * that says which source it is about.
 */
#ifndef BOOT_COPY_MAP_H
#define BOOT_COPY_MAP_H

#include "port/text.h"

#include <stdbool.h>
#include <stdint.h>

/* The states of an area, as they are in the text. */
enum map_state {
	MAP_NEW = '?',	  /* not tried yet */
	MAP_TRIM = '*',	  /* failed; its edges may be good */
	MAP_SCRAPE = '/', /* failed at its edges, too */
	MAP_BAD = '-',	  /* its sectors failed, each alone */
	MAP_DONE = '+',	  /* copied */
};

/* Areas at most. */
#define MAP_AREAS    65536
/* Bytes for the name that a source has in a map, with its NUL. */
#define MAP_IDENTITY 24

/* An area ends where the next one begins; neighbours differ in their state. */
struct map {
	uint64_t size; /* bytes; > 0 if there are areas */
	unsigned n;
	struct map_area {
		uint64_t at;
		char state;
	} area[MAP_AREAS];
};

/* All of size bytes is MAP_NEW. */
void copy_map_begin(struct map *m, uint64_t size);
/* 0 <= at <= end <= m->size.  NBD_E_NO_MEMORY: there are too many areas. */
int copy_map_set(struct map *m, uint64_t at, uint64_t end, char state);
/* The same, only for what has the state `was`. */
int copy_map_turn(struct map *m, uint64_t at, uint64_t end, char was,
		  char state);
/*
 * Finds the first area of a state that does not end at or before *at, and sets
 * *at and *end to what is behind *at of it.  False: there is none.
 */
bool copy_map_next(const struct map *m, uint64_t *at, uint64_t *end,
		   char state);
/* How many bytes and areas have none of these states; *areas may be NULL. */
uint64_t copy_map_sum(const struct map *m, const char *states, unsigned *areas);

/* ---- the text ---- */

/* Which source a map is about. */
struct map_about {
	uint64_t whole; /* bytes of the source */
	uint64_t base;	/* of these, bytes before what the map is of */
	char identity[MAP_IDENTITY]; /* "": it has none */
};

void copy_map_put(struct nbd_out *o, const struct map *m,
		  const struct map_about *a);

/* The caller sets m, base and align, the rest to zero. */
struct map_reader {
	struct map *m;		/* after copy_map_begin() */
	struct map_about about; /* from the comment, if has_about */
	uint64_t base;		/* where m begins in the text's positions */
	uint32_t align;		/* areas of m are multiples; power of 2 */
	bool has_about, has_status;
	bool has_area;
	uint64_t from, to; /* what the lines so far cover */
};

/*
 * Takes the next line, without its newline.  What is half copied is not copied:
 * an area that is MAP_DONE shrinks to whole blocks, others grow.  0,
 * NBD_E_PROTOCOL: it is no line of a map; NBD_E_NO_MEMORY.
 */
int copy_map_take(struct map_reader *r, const char *line);
/* Behind the last line: do the areas cover all of m?  0 or NBD_E_MISMATCH. */
int copy_map_end(const struct map_reader *r);

#endif
