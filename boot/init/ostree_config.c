/* SPDX-License-Identifier: BSD-2-Clause */
/* A GLib key file: [group], KEY=VALUE, and # before a comment. */
#include "boot/init/ostree_config.h"

#include <string.h>

struct slice {
	const char *p;
	size_t len;
};

static const struct key {
	const char *group, *name;
	size_t field;
} keys[] = {
#define F(x) offsetof(struct ostree_config, x)
	{ "sysroot", "readonly", F(readonly) },
	{ "composefs", "enabled", F(composefs) },
	{ "etc", "transient", F(etc_transient) },
	{ "root", "transient", F(root_transient) },
	{ "root", "transient-ro", F(root_transient_ro) },
#undef F
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct slice trim(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	while (end > p && is_blank(end[-1]))
		end--;
	return (struct slice){ p, (size_t)(end - p) };
}

static bool is(struct slice s, const char *word)
{
	return strlen(word) == s.len && !memcmp(s.p, word, s.len);
}

static enum ostree_state state_of(struct slice value)
{
	if (is(value, "true") || is(value, "yes") || is(value, "1"))
		return OSTREE_YES;
	if (is(value, "false") || is(value, "no") || is(value, "0"))
		return OSTREE_NO;
	return OSTREE_UNSET;
}

bool init_ostree_composefs(struct ostree_config *c, const char *value,
			   size_t len)
{
	struct slice v = { value, len };

	c->check = is(v, "signed")   ? "signed"
		   : is(v, "verity") ? "verity"
				     : NULL;
	c->composefs = c->check		? OSTREE_YES
		       : is(v, "maybe") ? OSTREE_MAYBE
					: state_of(v);
	return c->composefs != OSTREE_UNSET;
}

static bool take(struct ostree_config *c, const struct key *k,
		 struct slice value)
{
	enum ostree_state *field =
		(enum ostree_state *)(void *)((char *)c + k->field);

	if (field == &c->composefs)
		return init_ostree_composefs(c, value.p, value.len);
	*field = state_of(value);
	return *field != OSTREE_UNSET;
}

static int take_line(struct ostree_config *c, struct slice group,
		     struct slice line, struct nbd_diag *d)
{
	const char *equals = memchr(line.p, '=', line.len);
	struct slice name, value;

	if (!equals)
		return NBD_OK;
	name = trim(line.p, equals);
	value = trim(equals + 1, line.p + line.len);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (is(group, keys[i].group) && is(name, keys[i].name) &&
		    !take(c, &keys[i], value))
			return nbd_diag(d, NBD_E_USAGE,
					"[%s] %s=%.*s: not a value of this key",
					keys[i].group, keys[i].name,
					(int)(value.len < 40 ? value.len : 40),
					value.p);
	return NBD_OK;
}

int init_ostree_config(struct ostree_config *c, const char *text,
		       struct nbd_diag *d)
{
	struct slice group = { "", 0 };
	int rc = NBD_OK;

	while (!rc && *text) {
		const char *end = text + strcspn(text, "\n");
		struct slice line = trim(text, end);

		if (line.len > 1 && *line.p == '[' &&
		    line.p[line.len - 1] == ']')
			group = (struct slice){ line.p + 1, line.len - 2 };
		else if (line.len && *line.p != '#')
			rc = take_line(c, group, line, d);
		text = end + (*end == '\n');
	}
	return rc;
}
