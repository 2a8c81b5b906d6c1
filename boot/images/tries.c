/* SPDX-License-Identifier: BSD-2-Clause */
/* What is remembered of images, its text, and the choice. */
#include "boot/images/tries.h"

#include <string.h>

#include "core/nbd_uri.h"

#define HEAD "nbdboot-images 1\n"

/* ---- the text ---- */

/* Takes with; false: the text goes on with something else. */
static bool take(const char **p, const char *with)
{
	size_t n = strlen(with);

	if (strncmp(*p, with, n) != 0)
		return false;
	*p += n;
	return true;
}

uint64_t images_take_id(const char **p)
{
	uint64_t id = 0;

	for (unsigned i = 0; i < 8; i++, *p += 2) {
		int byte = nbd_hex_byte(*p);

		if (byte < 0)
			return 0;
		id = id << 8 | (unsigned)byte;
	}
	return id;
}

static bool take_tried(struct images_tries *t, const char **p)
{
	struct images_tried *e = &t->tried[t->n];

	if (t->n == IMAGES_MAX)
		return false;
	e->id = images_take_id(p);
	if (!e->id || !take(p, " ") || **p < '1' || **p > '0' + IMAGES_TRIES)
		return false;
	e->times = (unsigned)(*(*p)++ - '0');
	t->n++;
	return take(p, "\n");
}

static bool parse(struct images_tries *t, const char *p)
{
	if (!*p)
		return true;
	if (!take(&p, HEAD))
		return false;
	if (take(&p, "good ")) {
		t->good = images_take_id(&p);
		if (!t->good || !take(&p, "\n"))
			return false;
	}
	while (take(&p, "tried "))
		if (!take_tried(t, &p))
			return false;
	return take(&p, "end\n") && !*p;
}

int images_tries_parse(struct images_tries *t, const char *text)
{
	char copy[IMAGES_TEXT + 1];

	memcpy(copy, text, IMAGES_TEXT);
	copy[IMAGES_TEXT] = '\0';
	*t = (struct images_tries){ 0 };
	if (parse(t, copy))
		return NBD_OK;
	*t = (struct images_tries){ 0 };
	return NBD_E_PARAM;
}

static void put_id(struct nbd_out *o, uint64_t id)
{
	nbd_putf(o, "%08x%08x", (unsigned)(id >> 32), (unsigned)id);
}

void images_tries_print(const struct images_tries *t, char *text)
{
	struct nbd_out o = { .buf = text, .cap = IMAGES_TEXT };

	memset(text, 0, IMAGES_TEXT);
	nbd_putf(&o, HEAD);
	if (t->good) {
		nbd_putf(&o, "good ");
		put_id(&o, t->good);
		nbd_putf(&o, "\n");
	}
	for (unsigned i = 0; i < t->n; i++) {
		nbd_putf(&o, "tried ");
		put_id(&o, t->tried[i].id);
		nbd_putf(&o, " %u\n", t->tried[i].times);
	}
	nbd_putf(&o, "end\n");
}

/* ---- what it says ---- */

/* Its place, or t->n. */
static unsigned find(const struct images_tries *t, uint64_t id)
{
	unsigned i = 0;

	while (i < t->n && t->tried[i].id != id)
		i++;
	return i;
}

unsigned images_tried(const struct images_tries *t, uint64_t id)
{
	unsigned at = find(t, id);

	return at < t->n ? t->tried[at].times : 0;
}

static void forget(struct images_tries *t, unsigned at)
{
	t->n--;
	memmove(&t->tried[at], &t->tried[at + 1],
		(t->n - at) * sizeof(t->tried[0]));
}

void images_set_tried(struct images_tries *t, uint64_t id, unsigned times)
{
	unsigned at = find(t, id);

	if (times > IMAGES_TRIES)
		times = IMAGES_TRIES;
	if (at == t->n && t->n == IMAGES_MAX) {
		forget(t, 0);
		at = t->n;
	}
	if (at == t->n)
		t->n++;
	t->tried[at] = (struct images_tried){ id, times };
}

void images_set_good(struct images_tries *t, uint64_t id)
{
	unsigned at = find(t, id);

	t->good = id;
	if (at < t->n)
		forget(t, at);
}

unsigned images_choose(const struct images_tries *t, const uint64_t id[],
		       const bool counted[], const unsigned char failed[],
		       unsigned n)
{
	unsigned least = n - 1;

	for (unsigned i = 0; i < n; i++)
		if (failed[i] < IMAGES_TRIES &&
		    (id[i] == t->good || counted[i] ||
		     images_tried(t, id[i]) < IMAGES_TRIES))
			return i;
	for (unsigned i = n; i; i--)
		if (failed[i - 1] < failed[least])
			least = i - 1;
	return least;
}
