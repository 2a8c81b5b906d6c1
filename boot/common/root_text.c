/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of what was written, and %h, %m, %u and %s in them. */
#include "boot/common/root_parse.h"

#include <string.h>

int root_wrong(const struct parse *s, const char *why)
{
	return nbd_diag(s->d, NBD_E_URI, "%s=%s: %s", s->r->word, s->r->value,
			why);
}

void root_note(struct parse *s, const char *p, size_t len)
{
	nbd_putf(&s->note, "%s%.*s", s->note.len ? ", " : "", (int)len, p);
	s->r->note.text[s->note.len] = '\0';
}

static void put(struct parse *s, char c)
{
	if (s->r->used >= ROOT_TEXT - 1) {
		s->full = true;
		return;
	}
	s->control |= (unsigned char)c < ' ' || c == 0x7f;
	s->r->text[s->r->used++] = c;
}

/* Ends what put() has written since start. */
static const char *end(struct parse *s, size_t start)
{
	/* put() leaves room */
	s->r->text[s->r->used] = '\0';
	if (s->r->used < ROOT_TEXT - 1)
		s->r->used++;
	else
		s->full = true;
	return s->r->text + start;
}

const char *root_keep(struct parse *s, const char *p, size_t len)
{
	size_t start = s->r->used;

	while (len--)
		put(s, *p++);
	return end(s, start);
}

/* A value: encoded, so that no delimiter of a URI comes in with it. */
static void put_value(struct parse *s, const char *v, bool uri)
{
	for (; *v; v++) {
		unsigned char c = (unsigned char)*v, low = c | 0x20;

		if (!uri || (low >= 'a' && low <= 'z') ||
		    (c >= '0' && c <= '9') || strchr("-._~", c)) {
			put(s, *v);
			continue;
		}
		put(s, '%');
		put(s, "0123456789ABCDEF"[c >> 4]);
		put(s, "0123456789ABCDEF"[c & 15]);
	}
}

const char *root_fill(struct parse *s, struct root_slice *raw, const char *p,
		      size_t len, bool uri)
{
	static const char letters[] = "%hmus";
	const struct root_slice all = { p, len };
	size_t start = s->r->used;

	raw->p = NULL;

	for (; len; p++, len--) {
		const char *at = *p == '%' && len > 1 && p[1]
					 ? strchr(letters, p[1])
					 : NULL;
		char letter[2] = { *p, '\0' };
		const char *value = letter;

		if (!at) {
			put(s, *p);
			continue;
		}
		letter[0] = *at;
		if (at > letters)
			*raw = all;
		if (at > letters && s->env)
			value = s->env->value[at - letters - 1];
		if (value)
			put_value(s, value, uri);
		else
			s->missing = (unsigned)(at - letters);
		p++;
		len--;
	}
	return end(s, start);
}

void root_name(struct parse *s, const char *p, size_t len)
{
	struct nbd_uri *u = &s->r->uri[0];

	u->name = root_fill(s, &s->r->raw[0], p, len, false);
	u->name_len = strlen(u->name);
}

bool root_begins(const char *p, const char *with)
{
	return !strncmp(p, with, strlen(with));
}

bool root_is_dhcp(const char *p)
{
	return !strcmp(p, "dhcp") || !strcmp(p, "dhcp6");
}
