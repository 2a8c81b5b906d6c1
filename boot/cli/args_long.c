/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options as getopt_long_only(3) of the GNU C library takes them: -name x,
 * --name=x, -na x, -N x, -Nx, before and after the operands.
 */
#include "boot/cli/args.h"

#include <string.h>

/* Sets the name of the current option to the only one that begins with it. */
static bool complete(struct cli_parser *p)
{
	size_t base = 0;
	const struct cli_option *found = NULL,
				*o = cli_skip(p->c->options, &base);

	if (cli_current(p, &base))
		return true;
	for (; o; o = cli_skip(o + 1, &base)) {
		if (strncmp(o->name, p->name, p->len) != 0)
			continue;
		if (found)
			return false;
		found = o;
	}
	if (!found)
		return false;
	p->name = found->name;
	p->len = strlen(found->name);
	return true;
}

static bool is_letter(struct cli_parser *p)
{
	size_t base = 0;
	bool yes;

	p->by_letter = true;
	yes = cli_current(p, &base);
	p->by_letter = false;
	return yes;
}

static int take_word(struct cli_parser *p, const char *word)
{
	bool one_dash = word[1] != '-';
	const char *value;

	p->dashes = one_dash ? "-" : "--";
	p->by_letter = false;
	p->name = word + strlen(p->dashes);
	p->len = strcspn(p->name, "=");
	value = p->name[p->len] ? p->name + p->len + 1 : NULL;
	/* -c is the letter, although a longer name begins with it */
	if (one_dash && !word[2] && is_letter(p))
		return cli_take_letters(p, word + 1);
	if (p->len && complete(p))
		return cli_take_name(p, value);
	return one_dash && is_letter(p) ? cli_take_letters(p, word + 1)
					: cli_complain(p, "unknown option", "");
}

char **cli_parse_long(const struct command *c, char *argv[], void *options)
{
	struct cli_parser p = { .c = c, .argv = argv + 1, .options = options };
	char **end = argv;
	bool all = false; /* the rest are operands */
	char *word;

	cli_preset(&p);
	while ((word = *p.argv)) {
		p.argv++;
		if (all || word[0] != '-' || !word[1])
			*end++ = word;
		else if (!strcmp(word, "--"))
			all = true;
		else if (take_word(&p, word))
			return NULL;
	}
	*end = NULL;
	return argv;
}
