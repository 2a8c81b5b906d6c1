/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel command line: a table of its words and their fields. */
#include "boot/common/cmdline.h"

#include <stdint.h>
#include <string.h>

/*
 * MAYBE is a TEXT with an optional value, "" if it is missing.  REQUIRE allows
 * only the value "require".
 */
enum kind { TEXT, MAYBE, YES, NO, NUMBER, REQUIRE };

static const struct word {
	const char *name;
	uint16_t field; /* offset in struct cmdline */
	uint8_t kind;
	uint8_t min, max; /* of a NUMBER; max 0: INT32_MAX */
} words[] = {
	{ "root", offsetof(struct cmdline, root), TEXT, 0, 0 },
	{ "rootfstype", offsetof(struct cmdline, fstype), TEXT, 0, 0 },
	{ "rootflags", offsetof(struct cmdline, flags), TEXT, 0, 0 },
	{ "ro", offsetof(struct cmdline, write), NO, 0, 0 },
	{ "rw", offsetof(struct cmdline, write), YES, 0, 0 },
	{ "init", offsetof(struct cmdline, init), TEXT, 0, 0 },
	{ "ip", offsetof(struct cmdline, ip), TEXT, 0, 0 },
	{ "panic", offsetof(struct cmdline, panic), NUMBER, 0, 0 },
	{ "nbdboot.connections", offsetof(struct cmdline, connections), NUMBER,
	  1, CONFIG_PORT_MAX_CONNECTIONS },
	{ "nbdboot.debug", offsetof(struct cmdline, debug), YES, 0, 0 },
	{ "nbdboot.tls", offsetof(struct cmdline, tls), REQUIRE, 0, 0 },
	{ "nbdboot.shell", offsetof(struct cmdline, shell), TEXT, 0, 0 },
#ifdef CONFIG_BOOT_RECONNECT
	{ "nbdboot.io-timeout", offsetof(struct cmdline, io_timeout), NUMBER, 1,
	  255 },
	{ "nbdboot.slots", offsetof(struct cmdline, slots), NUMBER, 1,
	  CONFIG_PORT_MAX_CONNECTIONS },
	{ "nbdboot.swap", offsetof(struct cmdline, swap), YES, 0, 0 },
#endif
#ifdef CONFIG_BOOT_TORAM
	{ "nbdboot.toram", offsetof(struct cmdline, toram), YES, 0, 0 },
#endif
#ifdef CONFIG_BOOT_WATCH
	{ "nbdboot.watch", offsetof(struct cmdline, no_watch), NO, 0, 0 },
	{ "nbdboot.outage", offsetof(struct cmdline, outage), TEXT, 0, 0 },
#endif
#ifdef CONFIG_BOOT_RENEW
	{ "nbdboot.renew", offsetof(struct cmdline, no_renew), NO, 0, 0 },
#endif
#ifdef CONFIG_BOOT_IDENTITY
	{ "nbdboot.identity", offsetof(struct cmdline, no_identity), NO, 0, 0 },
#endif
	{ "nbdboot.part", offsetof(struct cmdline, part), TEXT, 0, 0 },
#ifdef CONFIG_BOOT_DIALECTS
	{ "netroot", offsetof(struct cmdline, netroot), TEXT, 0, 0 },
	{ "nbdroot", offsetof(struct cmdline, nbdroot), TEXT, 0, 0 },
	{ "nbddev", offsetof(struct cmdline, nbddev), TEXT, 0, 0 },
	{ "nbdport", offsetof(struct cmdline, nbdport), TEXT, 0, 0 },
	{ "nbd_host", offsetof(struct cmdline, nbd_host), TEXT, 0, 0 },
	{ "nbd_name", offsetof(struct cmdline, nbd_name), TEXT, 0, 0 },
	{ "nbd_port", offsetof(struct cmdline, nbd_port), TEXT, 0, 0 },
	{ "boot", offsetof(struct cmdline, boot), TEXT, 0, 0 },
	{ "archiso_nbd_srv", offsetof(struct cmdline, archiso_srv), TEXT, 0,
	  0 },
	{ "archiso_nbd_name", offsetof(struct cmdline, archiso_name), TEXT, 0,
	  0 },
#endif
#if defined(CONFIG_BOOT_ONFAIL) || defined(CONFIG_WORLD_UEFI)
	{ "nbdboot.onfail", offsetof(struct cmdline, onfail), TEXT, 0, 0 },
	{ "nbdboot.timeout", offsetof(struct cmdline, timeout), NUMBER, 0, 0 },
#endif
#ifdef CONFIG_BOOT_TUNE
	{ "nbdboot.tune", offsetof(struct cmdline, tune), TEXT, 0, 0 },
#endif
#ifdef CONFIG_BOOT_OVERLAY
	{ "nbdboot.overlay", offsetof(struct cmdline, overlay), MAYBE, 0, 0 },
#endif
};

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

bool boot_cmdline_same(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return *a == *b;
}

static bool is_ours(const char *name)
{
	return !strncmp(name, "nbdboot.", 8);
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

	if (w->kind == MAYBE && !value)
		value = "";
	switch (w->kind) {
	case MAYBE:
	case TEXT:
		if (value)
			*(const char **)field = value;
		return value;
	case NUMBER:
		/* panic= may be negative */
		minus = value && !is_ours(w->name) && *value == '-';
		n = value ? nbd_number(value + minus, w->min, most(w)) : -1;
		if (n >= 0)
			*(int *)field = (int)(minus ? -n : n);
		return n >= 0;
	case REQUIRE:
		*(bool *)field = value && !strcmp(value, "require");
		return *(bool *)field;
	default:
		/* "nbdboot.debug=0" means no */
		*(bool *)field = (w->kind == YES) ^
				 (value && !strcmp(value, "0"));
		return true;
	}
}

static int wrong_value(const struct word *w, const char *value,
		       struct nbd_diag *d)
{
	if (w->kind == NUMBER)
		return nbd_diag(d, NBD_E_USAGE,
				"%s=%s: not a number from %d to %d", w->name,
				value ? value : "", w->min, most(w));
	if (w->kind == REQUIRE)
		return nbd_diag(d, NBD_E_USAGE,
				"%s=%s: the only value is \"require\"", w->name,
				value ? value : "");
	return nbd_diag(d, NBD_E_USAGE, "%s: the value is missing", w->name);
}

static int take(void *ctx, const char *name, const char *value,
		struct nbd_diag *d)
{
	struct cmdline *c = ctx;
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const struct word *w = &words[i];

		if (!boot_cmdline_same(name, w->name))
			continue;
		/* like the kernel, ignore wrong values of its words */
		if (store(c, w, value) || !is_ours(name))
			return NBD_OK;
		return wrong_value(w, value, d);
	}
	/* report a misspelt word of ours */
	if (is_ours(name) && !c->unknown)
		c->unknown = name;
	return NBD_OK;
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
