/* SPDX-License-Identifier: BSD-2-Clause */
/* A map that is read has sorted areas, and prints, and is read again the same. */
#include "boot/copy/map.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct map map, again;

static void same(bool yes)
{
	if (!yes)
		abort();
}

static int take(struct map *m, const struct map_about *shape, uint32_t align,
		char *text)
{
	struct map_reader r = { .m = m, .base = shape->base, .align = align };
	int err = 0;

	copy_map_begin(m, shape->whole);
	while (!err && text) {
		char *end = strchr(text, '\n');

		if (end)
			*end++ = '\0';
		err = copy_map_take(&r, text);
		text = end;
	}
	return err ? err : copy_map_end(&r);
}

static void check(const struct map *m, uint64_t mask)
{
	same(!m->n == !m->size && m->n <= MAP_AREAS);
	for (unsigned i = 0; i < m->n; i++) {
		same(strchr("?*/-+", m->area[i].state) && m->area[i].state);
		same(m->area[i].at < m->size && !(m->area[i].at & mask));
		same(!i || (m->area[i - 1].at < m->area[i].at &&
			    m->area[i - 1].state != m->area[i].state));
	}
}

static void print(const struct map *m, const struct map_about *about,
		  uint32_t align)
{
	static char text[MAP_AREAS * 48 + 1024];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) - 1 };

	copy_map_put(&o, m, about);
	same(!o.cut);
	text[o.len] = '\0';
	same(take(&again, about, align, text) == 0);
	same(m->n == again.n);
	for (unsigned i = 0; i < m->n; i++)
		same(m->area[i].at == again.area[i].at &&
		     m->area[i].state == again.area[i].state);
}

/* Three bytes: the map's size and place, and how large blocks are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct map_about about = { .identity = "r24-0123456789abcdef" };
	uint32_t align;
	char *text;

	if (size < 3)
		return 0;
	align = 1u << data[0] % 13;
	about.whole = (uint64_t)data[1] << data[0] % 40 &
		      ~(uint64_t)(align - 1);
	about.base = (uint64_t)data[2] << data[0] % 40 & ~(uint64_t)(align - 1);
	text = malloc(size - 2);
	memcpy(text, data + 3, size - 3);
	text[size - 3] = '\0';
	if (take(&map, &about, align, text) == 0) {
		check(&map, align - 1);
		if (map.n)
			print(&map, &about, align);
	}
	free(text);
	return 0;
}
