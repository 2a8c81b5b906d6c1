/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel command line: cut into words, which word.h has in a table. */
#include "boot/words/boolean.h"
#include "boot/words/word.h"

#include <stdint.h>
#include <string.h>

/*
 * Cuts off the next word as the kernel's next_arg() does: a double quote may
 * begin the word or the value.  Returns the rest of the text.  *value becomes
 * NULL without a '='.
 */
static char *next_word(char *p, char **name, char **value)
{
	char *end = p + (nbd_word_end(p) - p), *first, *equals = NULL;
	bool quoted = *p == '"';

	p += quoted;
	if (end > p)
		equals = memchr(p + 1, '=', (size_t)(end - p) - 1);
	*name = first = p;
	*value = NULL;
	p = *end ? end + 1 : end;
	*end = '\0';
	if (equals) {
		*equals = '\0';
		first = equals + 1;
		if (*first == '"') {
			first++;
			quoted = true;
		}
		*value = first;
	}
	/* the kernel removes one closing quote, too */
	if (quoted && end > first && end[-1] == '"')
		end[-1] = '\0';
	return p;
}

static int most(const struct word *w)
{
	return w->max ? w->max : INT32_MAX;
}

static bool store(struct cmdline *c, const struct word *w, const char *value)
{
	void *field = (char *)c + w->field;
	bool minus;
	long n;

	if ((w->kind == WORD_MAYBE || w->kind == WORD_SWITCH) && !value)
		value = "";
	switch (w->kind) {
	case WORD_SWITCH:
		n = boot_words_boolean(value);
		*(const char **)field = n < 0 ? value : n ? "" : NULL;
		return true;
	case WORD_MAYBE:
	case WORD_TEXT:
		if (value)
			*(const char **)field = value;
		return value;
	case WORD_NUMBER:
		/* panic= may be negative */
		minus = value && !(w->scope & WORD_OURS) && *value == '-';
		n = value ? nbd_number(value + minus, w->min, most(w)) : -1;
		if (n >= 0)
			*(int *)field = (int)(minus ? -n : n);
		return n >= 0;
	case WORD_REQUIRE:
		*(bool *)field = value && !strcmp(value, "require");
		return *(bool *)field;
	default:
		n = value && *value ? boot_words_boolean(value) : 1;
		/* "nbdboot.debug=0" means no */
		if (n >= 0)
			*(bool *)field = (w->kind == WORD_YES) == n;
		return n >= 0;
	}
}

static int wrong_value(const struct word *w, const char *value,
		       struct nbd_diag *d)
{
	if (w->kind == WORD_NUMBER)
		return nbd_diag(d, NBD_E_USAGE,
				"%s=%s: not a number from %d to %d", w->name,
				value ? value : "", w->min, most(w));
	if (w->kind != WORD_TEXT)
		return nbd_diag(d, NBD_E_USAGE,
				"%s=%s: the only value is \"%s\"", w->name,
				value ? value : "",
				w->kind == WORD_REQUIRE ? "require" : "0");
	return nbd_diag(d, NBD_E_USAGE, "%s: the value is missing", w->name);
}

static int take(void *ctx, const char *name, const char *value,
		struct nbd_diag *d)
{
	const struct word *w = boot_words_find(name);
	struct cmdline *c = ctx;

	/* report a misspelt word of ours */
	if (!w && boot_words_scope(name, SIZE_MAX) && !c->unknown)
		c->unknown = name;
	/* like the kernel, ignore wrong values of its words */
	if (!w || w->kind == WORD_OTHER || store(c, w, value) ||
	    !(w->scope & WORD_OURS))
		return NBD_OK;
	return wrong_value(w, value, d);
}

int boot_cmdline_each(char *p, boot_cmdline_word *fn, void *ctx,
		      struct nbd_diag *d)
{
	char *name, *value;
	int rc = NBD_OK;

	while (*(p += strspn(p, NBD_BLANKS))) {
		p = next_word(p, &name, &value);
		if (!value && !strcmp(name, "--"))
			break;
		/* d keeps the first error */
		if (rc)
			fn(ctx, name, value, NULL);
		else
			rc = fn(ctx, name, value, d);
	}
	return rc;
}

int boot_cmdline_parse(struct cmdline *c, const char *line, struct nbd_diag *d)
{
	size_t len = strcspn(line, "\n");

	memset(c, 0, sizeof(*c));
	c->connections = 1;
	if (len >= sizeof(c->line))
		return nbd_diag(d, NBD_E_USAGE,
				"kernel command line: longer than %d bytes",
				CMDLINE_MAX - 1);
	memcpy(c->line, line, len);
	memcpy(c->text, line, len);
	return boot_cmdline_each(c->text, take, c, d);
}
