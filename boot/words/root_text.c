/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of the texts, with the values of %h, %m, %u and %s filled in. */
#include "boot/words/root_parse.h"

#include <string.h>

int root_wrong(const struct parse *in, const char *why)
{
	return nbd_diag(in->d, NBD_E_URI, "%s=%s: %s", in->r->word,
			in->r->value, why);
}

void root_note(struct parse *in, const char *p, size_t len)
{
	char *text = in->r->note.text;
	struct nbd_out o = { .buf = text,
			     .cap = sizeof(in->r->note.text) - 1,
			     .len = strlen(text) };

	nbd_putf(&o, "%s%.*s", o.len ? ", " : "", (int)len, p);
	text[o.len] = '\0';
}

static void put(struct parse *in, char c)
{
	if (in->r->used >= ROOT_TEXT - 1) {
		in->full = true;
		return;
	}
	in->control |= (unsigned char)c < ' ' || c == 0x7f;
	in->r->text[in->r->used++] = c;
}

/* Ends the text that put() has written since start. */
static const char *end(struct parse *in, size_t start)
{
	/* put() leaves room for this NUL */
	in->r->text[in->r->used] = '\0';
	if (in->r->used < ROOT_TEXT - 1)
		in->r->used++;
	else
		in->full = true;
	return in->r->text + start;
}

const char *root_keep(struct parse *in, const char *p, size_t len)
{
	size_t start = in->r->used;

	for (; len; len--)
		put(in, *p++);
	return end(in, start);
}

/* In a URI a value is encoded, so that it adds no delimiter. */
static void put_value(struct parse *in, const char *v, bool uri)
{
	for (; *v; v++) {
		char text[3] = { *v };
		unsigned n = uri ? nbd_percent_put(text, *v) : 1;

		for (unsigned i = 0; i < n; i++)
			put(in, text[i]);
	}
}

const char *root_fill(struct parse *in, struct root_slice *raw, const char *p,
		      size_t len, bool uri)
{
	static const char letters[] = "%hmus";
	const struct root_slice all = { p, len };
	size_t start = in->r->used;

	raw->p = NULL;

	for (; len; p++, len--) {
		const char *at = *p == '%' && len > 1 && p[1]
					 ? strchr(letters, p[1])
					 : NULL;
		char letter[2] = { *p, '\0' };
		const char *value = letter;

		if (!at) {
			put(in, *p);
			continue;
		}
		letter[0] = *at;
		if (at > letters)
			*raw = all;
		if (at > letters && in->env)
			value = in->env->value[at - letters - 1];
		if (value)
			put_value(in, value, uri);
		else
			in->missing = (unsigned)(at - letters);
		p++;
		len--;
	}
	return end(in, start);
}

void root_name(struct parse *in, const char *p, size_t len)
{
	struct nbd_uri *u = &in->r->uri[0];

	u->name = root_fill(in, &in->r->raw[0], p, len, false);
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
