/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options and operands, by the rules of getopt: -c4, -c 4, -aR, --name=x,
 * --name x; the first operand or -- ends the options.  (The C library's getopt
 * would bring stdio for its messages.)
 */
#include "boot/cli/args.h"
#include "port/linux/nbdk.h"

#include <string.h>

const struct cli_option *cli_skip(const struct cli_option *o, size_t *base)
{
	while (o && !o->name) {
		*base += o->at;
		o = o->more;
	}
	return o;
}

const struct cli_option *cli_current(const struct cli_parser *p, size_t *base)
{
	const struct cli_option *o = cli_skip(p->c->options, base);

	for (; o; o = cli_skip(o + 1, base))
		if (p->by_letter ? o->letter == *p->name
				 : strlen(o->name) == p->len &&
					   !memcmp(o->name, p->name, p->len))
			break;
	return o;
}

int cli_complain(const struct cli_parser *p, const char *before,
		 const char *after)
{
	return cli_usage(p->c->name, "%s %s%.*s%s", before, p->dashes,
			 (int)p->len, p->name, after);
}

static int complain_unknown(const struct cli_parser *p)
{
	struct cli_near near = { .word = p->name, .len = p->len };
	size_t base = 0;
	const struct cli_option *o = cli_skip(p->c->options, &base);
	char hint[64] = "";

	for (; o && !p->by_letter; o = cli_skip(o + 1, &base))
		cli_near(&near, o->name);
	if (near.name)
		nbd_fmt(hint, sizeof(hint), " (did you mean --%s?)", near.name);
	return cli_complain(p, "unknown option", hint);
}

static int take_number(const struct cli_parser *p, const struct cli_option *o,
		       int *field, const char *value)
{
	long n = o->kind == CLI_DEVICE ? nbdk_parse_name(value)
				       : nbd_number(value, o->min, o->max);

	*field = (int)n;
	if (n >= 0)
		return CLI_OK;
	if (o->kind == CLI_DEVICE)
		return cli_usage(p->c->name, CLI_NO_DEVICE, value);
	return cli_usage(p->c->name, "%s%.*s: %s is not a number from %d to %d",
			 p->dashes, (int)p->len, p->name, value, o->min,
			 o->max);
}

/*
 * Takes the current option.  *rest is the rest of its word, or NULL; it becomes
 * NULL if it was the option's value.
 */
static int take(struct cli_parser *p, const char **rest)
{
	size_t base = 0;
	const struct cli_option *o = cli_current(p, &base);
	const char *value = *rest;
	void *field;

	if (!o)
		return complain_unknown(p);
	field = p->options + base + o->at;
	if (o->kind == CLI_FLAG) {
		*(bool *)field = true;
		return CLI_OK;
	}
	*rest = NULL;
	if (!value && o->optional)
		value = "";
	if (!value && *p->argv)
		value = *p->argv++;
	if (!value)
		return cli_complain(p, "option", " needs a value");
	if (o->kind != CLI_TEXT)
		return take_number(p, o, field, value);
	*(const char **)field = value;
	return CLI_OK;
}

int cli_take_name(struct cli_parser *p, const char *value)
{
	const char *rest = value;
	int status;

	p->by_letter = false;
	status = take(p, &rest);
	return status || !rest ? status
			       : cli_complain(p, "option", " takes no value");
}

/* No command has an option of its own by these names. */
int cli_wish(const char *word)
{
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return CLI_WISH_HELP;
	return strcmp(word, "--version") ? CLI_WISH_NONE : CLI_WISH_VERSION;
}

static int take_long(struct cli_parser *p, const char *word)
{
	p->dashes = "--";
	p->name = word;
	p->len = strcspn(word, "=");
	return cli_take_name(p, word[p->len] ? word + p->len + 1 : NULL);
}

int cli_take_letters(struct cli_parser *p, const char *word)
{
	int status = CLI_OK;

	p->dashes = "-";
	p->by_letter = true;
	p->len = 1;
	while (word && !status) {
		p->name = word;
		word = word[1] ? word + 1 : NULL;
		status = take(p, &word);
	}
	return status;
}

/* "-" is an operand. */
static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

static int take_options(struct cli_parser *p)
{
	const char *word;
	int status = CLI_OK;

	while (!status && (word = *p->argv) && is_option(word)) {
		p->argv++;
		if (!strcmp(word, "--"))
			break;
		status = cli_wish(word);
		if (!status)
			status = word[1] == '-' ? take_long(p, word + 2)
						: cli_take_letters(p, word + 1);
	}
	return status;
}

/* ---- what must be there ---- */

/* Prints "URI|HOST|/SOCKET" as "URI, HOST or /SOCKET". */
static int complain_missing(const struct command *c, const char *names)
{
	char text[64];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };
	const char *end;

	for (; (end = strchr(names, '|')); names = end + 1)
		nbd_putf(&o, "%.*s%s", (int)(end - names), names,
			 strchr(end + 1, '|') ? ", " : " or ");
	return cli_usage(c->name, "missing operand: %.*s%s", (int)o.len, text,
			 names);
}

/*
 * words are the operands, behind a word of the same command line.  Those of a
 * command with any number of them may be options of another program.
 */
static int check_operands(const struct command *c, char *words[])
{
	unsigned n = 0, max = c->operands.max;
	bool literal = max == CLI_ANY || !strcmp(words[-1], "--");

	for (; words[n]; n++)
		if (!literal && is_option(words[n]))
			return cli_wish(words[n])
				       ? cli_wish(words[n])
				       : cli_usage(c->name,
						   "%s: options come first",
						   words[n]);
	if (n < c->operands.min)
		return complain_missing(c, c->operands.name[n]);
	if (cli_extra(c->name, words, max))
		return CLI_USAGE;
	for (; c->devices && *words; words++)
		if (nbdk_parse_name(*words) < 0)
			return cli_usage(c->name, CLI_NO_DEVICE, *words);
	return CLI_OK;
}

void cli_preset(const struct cli_parser *p)
{
	size_t base = 0;
	const struct cli_option *o = cli_skip(p->c->options, &base);

	for (; o; o = cli_skip(o + 1, &base))
		if (o->preset)
			*(int *)(void *)(p->options + base + o->at) = o->preset;
}

int cli_parse(const struct command *c, char ***words, void *options)
{
	struct cli_parser p = { .c = c,
				.argv = *words + 1,
				.options = options };
	int status;

	cli_preset(&p);
	status = take_options(&p);
	*words = p.argv;
	return status ? status : check_operands(c, p.argv);
}
