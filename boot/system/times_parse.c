/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the output of boot_times_write(): that much of JSON, and no more. */
#include "boot/system/times.h"

#include <string.h>

struct reader {
	const char *p, *end;
	bool bad; /* the first error sticks, and p stays there */
};

/* Skips these characters, and blanks before each; false if others come next. */
static bool have(struct reader *r, const char *text)
{
	const char *p = r->p;

	for (; *text && p < r->end; p++) {
		if (*p == *text)
			text++;
		else if (*p != ' ' && *p != '\n')
			break;
	}
	if (*text || r->bad)
		return false;
	r->p = p;
	return true;
}

static void want(struct reader *r, const char *text)
{
	r->bad |= !have(r, text);
}

static int32_t want_number(struct reader *r)
{
	int32_t n = 0;
	unsigned digits;
	bool minus;

	while (r->p < r->end && *r->p == ' ')
		r->p++;
	minus = have(r, "-");
	for (digits = 0; !r->bad && r->p < r->end && *r->p >= '0' &&
			 *r->p <= '9' && digits < 9;
	     digits++)
		n = n * 10 + (*r->p++ - '0');
	r->bad |= !digits;
	return minus ? -n : n;
}

/* Text is printed to terminals and into XML unescaped. */
static void want_text(struct reader *r, char *name, size_t cap)
{
	size_t n = 0;

	while (!r->bad && n < cap - 1 && r->p < r->end &&
	       boot_times_plain(*r->p))
		name[n++] = *r->p++;
	name[n] = '\0';
}

static void want_step(struct reader *r, struct times_step *s)
{
	want(r, "{\"name\":\"");
	want_text(r, s->name, sizeof(s->name));
	want(r, "\",\"start\":");
	s->start = want_number(r);
	want(r, ",\"end\":");
	s->end = want_number(r);
	r->bad |= s->end < s->start;
	want(r, "}");
}

/* A member of the head, which may be missing. */
static void may_text(struct reader *r, const char *key, char *text, size_t cap)
{
	text[0] = '\0';
	if (!have(r, key))
		return;
	want(r, ":\"");
	want_text(r, text, cap);
	want(r, "\",");
}

int boot_times_parse(struct times *t, const char *text, size_t len,
		     struct nbd_diag *d)
{
	struct reader r = { text, text + len, false };

	t->n = 0;
	want(&r, "{\"unit\":\"ms\",");
	may_text(&r, "\"host\"", t->host, sizeof(t->host));
	may_text(&r, "\"root\"", t->root, sizeof(t->root));
	may_text(&r, "\"kernel\"", t->kernel, sizeof(t->kernel));
	may_text(&r, "\"date\"", t->date, sizeof(t->date));
	want(&r, "\"steps\":[");
	do
		want_step(&r, &t->step[t->n]);
	while (!r.bad && ++t->n < TIMES_MAX && have(&r, ","));
	want(&r, "]}");
	have(&r, "\n");
	if (r.bad || r.p != r.end)
		return nbd_diag(d, NBD_E_IO,
				"not what nbdboot init writes, at byte %u",
				(unsigned)(r.p - text));
	return NBD_OK;
}
