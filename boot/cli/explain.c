/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains a command, from the tables that the parser uses. */
#include "boot/cli/cli.h"

#include <string.h>

#define WIDTH 79

/* Prints a word of the synopsis, on a new line if it does not fit. */
static void put_word(size_t *column, const char *word)
{
	size_t len = strlen(word) + 1;
	bool fits = *column + len <= WIDTH;

	cli_putf(fits ? " %s" : "\n\t%s", word);
	*column = fits ? *column + len : 7 + len;
}

/* What stands between the name of an option and that of its value. */
static const char *before(const struct cli_option *o)
{
	return o->optional ? "[=" : o->value ? " " : "";
}

/* "[-c N]", "[--json]", "[--skip-bad[=MAP]]" */
static void put_option_word(size_t *column, const struct cli_option *o)
{
	char word[64], name[32] = { '-', o->letter };

	if (!o->letter)
		nbd_fmt(name, sizeof(name), "--%s", o->name);
	nbd_fmt(word, sizeof(word), "%s%s%s%s%s%s", o->required ? "" : "[",
		name, before(o), o->value ? o->value : "",
		o->optional ? "]" : "", o->required ? "" : "]");
	put_word(column, word);
}

/* "NEWROOT", "[INIT", "[ARG...]]" */
static void put_operands(size_t *column, const struct command *c)
{
	unsigned n = 0, open = 0;
	char word[64];

	while (n < 4 && c->operands.name[n])
		n++;
	for (unsigned i = 0; i < n; i++) {
		bool last = i + 1 == n;

		open += i >= c->operands.min;
		nbd_fmt(word, sizeof(word), "%s%s%s%.*s",
			i >= c->operands.min ? "[" : "", c->operands.name[i],
			last && c->operands.max > n ? "..." : "",
			last ? (int)open : 0, "]]]]");
		put_word(column, word);
	}
}

static void put_synopsis(const struct command *c)
{
	size_t base = 0, column = strlen("nbdboot ") + strlen(c->name);
	const struct cli_option *o = cli_skip(c->options, &base);

	cli_putf("nbdboot %s", c->name);
	for (; o; o = cli_skip(o + 1, &base))
		put_option_word(&column, o);
	put_operands(&column, c);
	cli_putf("\n");
}

static void put_option(const struct cli_option *o)
{
	if (o->letter)
		cli_putf("-%c, ", o->letter);
	cli_putf("--%s%s%s%s", o->name, before(o), o->value ? o->value : "",
		 o->optional ? "]" : "");
	if (o->kind == CLI_NUMBER)
		cli_putf(" (%d to %d)", o->min, o->max);
	cli_putf("\n\t%s", o->help);
	if (o->preset > 0)
		cli_putf(" (%d)", o->preset);
	cli_putf("\n");
}

void cli_explain(const struct command *c)
{
	size_t base = 0;
	const struct cli_option *o = cli_skip(c->options, &base);

	put_synopsis(c);
	cli_putf("%s\n", c->summary);
	if (c->help)
		nbd_put(&cli_out, c->help, strlen(c->help));
	for (; o; o = cli_skip(o + 1, &base))
		put_option(o);
}
