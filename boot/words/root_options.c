/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of nbd-client(8) in dracut's root=, separated by commas or
 * blanks: as getopt_long_only() takes them, -b512, -pt10, -b 512, -block=512,
 * or as words without dashes, and the old "bs=".
 */
#include "boot/words/root_parse.h"

#include <string.h>

#define ENDS ", \t"

enum kind { NUMBER, YES, TLS, NAME, HOSTNAME, DONE, NONE };

static const struct option {
	char name[13];
	char letter;
	uint8_t kind;
	bool value;
	uint16_t field;	   /* in struct root_spec */
	uint16_t min, max; /* of a NUMBER; max 0: any */
} options[] = {
#define F(x) offsetof(struct root_spec, x)
	{ "block-size", 'b', NUMBER, true, F(block_size), 512, 4096 },
	{ "bs", 0, NUMBER, true, F(block_size), 512, 4096 },
	{ "connections", 'C', NUMBER, true, F(connections), 1,
	  CONFIG_PORT_MAX_CONNECTIONS },
	{ "timeout", 't', NUMBER, true, F(io_timeout), 1, 0 },
	{ "dead-timeout", 'T', NUMBER, true, F(dead_timeout), 0, 0 },
	{ "readonly", 'R', YES, false, F(read_only), 0, 0 },
	{ "swap", 's', YES, false, F(swap), 0, 0 },
	{ "persist", 'p', YES, false, F(persist), 0, 0 },
	{ "no-optgo", 'g', YES, false, F(no_go), 0, 0 },
	{ "name", 'N', NAME, true, 0, 0, 0 },
	{ "enable-tls", 'x', TLS, false, 0, 0, 0 },
	{ "certfile", 'F', TLS, true, F(cert), 0, 0 },
	{ "keyfile", 'K', TLS, true, F(key), 0, 0 },
	{ "cacertfile", 'A', TLS, true, F(ca), 0, 0 },
	{ "tlshostname", 'H', HOSTNAME, true, 0, 0, 0 },
	/* accepted without effect: nbdboot always works like this */
	{ "systemd-mark", 'm', DONE, false, 0, 0, 0 },
	{ "nofork", 'n', DONE, false, 0, 0, 0 },
	/* reported; their letters and beginnings are no others' */
	{ "check", 'c', NONE, true, 0, 0, 0 },
	{ "disconnect", 'd', NONE, true, 0, 0, 0 },
	{ "help", 'h', NONE, false, 0, 0, 0 },
	{ "identifier", 'i', NONE, true, 0, 0, 0 },
	{ "list", 'l', NONE, false, 0, 0, 0 },
	{ "nonetlink", 'L', NONE, false, 0, 0, 0 },
	{ "preinit", 'P', NONE, false, 0, 0, 0 },
	{ "priority", 'y', NONE, true, 0, 0, 0 },
	{ "sdp", 'S', NONE, false, 0, 0, 0 },
	{ "size", 'B', NONE, true, 0, 0, 0 },
	{ "unix", 'u', NONE, false, 0, 0, 0 },
	{ "version", 'V', NONE, false, 0, 0, 0 },
#undef F
};
#define OPTIONS (sizeof(options) / sizeof(options[0]))

static bool store(struct parse *in, const struct option *o, const char *value,
		  size_t len)
{
	char *field = (char *)in->r + o->field;
	long n;

	switch (o->kind) {
	case NUMBER:
		n = nbd_numbern(value, len, o->min, o->max ? o->max : 1 << 30);
		if (n >= 0)
			*(int *)field = (int)n;
		return n >= 0;
	case YES:
		*(bool *)field = true;
		break;
	case NAME:
		root_name(in, value, len);
		break;
	case HOSTNAME:
		in->r->uri[0].tls_hostname = root_keep(in, value, len);
		in->r->tls = true;
		break;
	case TLS:
		in->r->tls = true;
		if (o->field)
			*(const char **)field = root_keep(in, value, len);
		break;
	case NONE:
		return false;
	}
	return true;
}

static const struct option *by_letter(char letter)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (options[i].letter && options[i].letter == letter)
			return &options[i];
	return NULL;
}

/* The option of that name or, with `cut`, the only one that begins so. */
static const struct option *by_name(const char *name, size_t len, bool cut)
{
	const struct option *found = NULL;
	bool several = false;

	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option *o = &options[i];

		if (strncmp(o->name, name, len) != 0)
			continue;
		if (strlen(o->name) == len)
			return o;
		/* "bs" is no beginning of nbd-client's */
		several |= found && o->letter;
		found = o->letter ? o : found;
	}
	return cut && !several ? found : NULL;
}

/*
 * Stores an option whose word ends at *end.  Without a value it takes the next
 * word, which becomes *end, if that may be one.
 */
static bool give(struct parse *in, const struct option *o, const char *value,
		 const char **end, bool next)
{
	if (!o->value)
		return !value && store(in, o, "", 0);
	if (!value && next) {
		value = *end + strspn(*end, ENDS);
		if (!*value)
			return false;
		*end = value + strcspn(value, ENDS);
	}
	return value && store(in, o, value, (size_t)(*end - value));
}

/* -pt10: flags, of which the last may have a value.  Returns as take() does. */
static const char *take_letters(struct parse *in, const char *p,
				const char **end)
{
	const struct option *o = NULL;

	for (; p < *end; p++) {
		o = by_letter(*p);
		if (!o || o->value)
			break;
		if (!store(in, o, "", 0))
			root_note(in, p, 1);
	}
	if (p == *end ||
	    (o && give(in, o, p + 1 < *end ? p + 1 : NULL, end, true)))
		return NULL;
	return p;
}

/* Takes the option at word.  Returns the part without effect, or NULL. */
static const char *take(struct parse *in, const char *word, const char **end)
{
	size_t dashes = strspn(word, "-"), n;
	const char *p = word + dashes, *rest;
	const char *equals = memchr(p, '=', (size_t)(*end - p));
	const struct option *o;

	n = (size_t)((equals ? equals : *end) - p);
	if (!n)
		return word;
	o = n == 1 ? by_letter(*p) : by_name(p, n, dashes);
	if (o)
		return give(in, o, equals ? equals + 1 : NULL, end, dashes)
			       ? NULL
			       : word;
	rest = dashes == 1 ? take_letters(in, p, end) : word;
	return rest == p ? word : rest;
}

void root_options(struct parse *in, const char *p)
{
	while (*(p += strspn(p, ENDS))) {
		const char *end = p + strcspn(p, ENDS);
		const char *bad = take(in, p, &end);

		if (bad)
			root_note(in, bad, (size_t)(end - bad));
		p = end;
	}
}
