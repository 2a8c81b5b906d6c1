/* SPDX-License-Identifier: BSD-2-Clause */
/* A list of areas, sorted and without gaps. */
#include "boot/copy/map.h"
#include "core/nbd_err.h"

#include <string.h>

void copy_map_begin(struct map *m, uint64_t size)
{
	m->size = size;
	m->n = size > 0;
	m->area[0] = (struct map_area){ .at = 0, .state = MAP_NEW };
}

static uint64_t end_of(const struct map *m, unsigned i)
{
	return i + 1 < m->n ? m->area[i + 1].at : m->size;
}

/* The area that holds the byte at `at`, which is less than m->size. */
static unsigned find(const struct map *m, uint64_t at)
{
	unsigned low = 0, high = m->n;

	while (high - low > 1) {
		unsigned middle = low + (high - low) / 2;

		if (m->area[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/*
 * Of the areas first to last - 1 in the list, the ends may stay, with `state`
 * between:  |first|...|last - 1|  -->  |first|  state  |last - 1|
 */
int copy_map_set(struct map *m, uint64_t at, uint64_t end, char state)
{
	struct map_area put[3] = { { 0 } };
	unsigned first, last, n = 0;

	if (at >= end)
		return 0;
	first = find(m, at);
	last = find(m, end - 1) + 1;
	/* the area in front: what is left of one, or one that may merge */
	if (m->area[first].at == at && first)
		first--;
	if (m->area[first].at < at)
		put[n++] = m->area[first];
	if (!n || put[0].state != state)
		put[n++] = (struct map_area){ at, state };
	if (end < end_of(m, last - 1) && m->area[last - 1].state != state)
		put[n++] = (struct map_area){ end, m->area[last - 1].state };
	else if (end == end_of(m, last - 1) && last < m->n &&
		 m->area[last].state == state)
		last++;
	if (m->n - (last - first) + n > MAP_AREAS)
		return NBD_E_NO_MEMORY;
	memmove(m->area + first + n, m->area + last,
		(m->n - last) * sizeof(m->area[0]));
	memcpy(m->area + first, put, n * sizeof(put[0]));
	m->n = m->n - (last - first) + n;
	return 0;
}

int copy_map_turn(struct map *m, uint64_t at, uint64_t end, char was,
		  char state)
{
	uint64_t stop;
	int err = 0;

	while (!err && copy_map_next(m, &at, &stop, was) && at < end) {
		err = copy_map_set(m, at, stop < end ? stop : end, state);
		at = stop;
	}
	return err;
}

bool copy_map_next(const struct map *m, uint64_t *at, uint64_t *end, char state)
{
	unsigned i;

	if (*at >= m->size)
		return false;
	for (i = find(m, *at); i < m->n; i++) {
		if (m->area[i].state != state)
			continue;
		if (m->area[i].at > *at)
			*at = m->area[i].at;
		*end = end_of(m, i);
		return true;
	}
	return false;
}

uint64_t copy_map_sum(const struct map *m, const char *states, unsigned *areas)
{
	uint64_t sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++) {
		if (strchr(states, m->area[i].state))
			continue;
		sum += end_of(m, i) - m->area[i].at;
		n++;
	}
	if (areas)
		*areas = n;
	return sum;
}
