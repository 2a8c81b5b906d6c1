/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of a command line, by the rules that people know from getopt:
 * -c4, -c 4, -aR, --json, -- ends the options.  (The C library's own would
 * bring stdio along for its messages.)
 */
#include "boot/cli/cli.h"

#include <stdlib.h>
#include <string.h>

static int complain(const struct cli_args *a, const char *what,
		    const char *dashes, const char *word, size_t len)
{
	cli_usage(a->argv[0], "%s %s%.*s", what, dashes, (int)len, word);
	return -1;
}

/* given: what stands in the same word, NULL if nothing does. */
static bool take_value(struct cli_args *a, const char *given)
{
	a->value = given;
	if (!a->value && a->i < a->argc)
		a->value = a->argv[a->i++];
	return a->value;
}

static int next_long(struct cli_args *a, const struct cli_option options[],
		     const char *word)
{
	size_t len = strcspn(word, "=");
	const char *value = word[len] ? word + len + 1 : NULL;

	for (const struct cli_option *o = options; o && o->letter; o++) {
		if (!o->name || strlen(o->name) != len ||
		    memcmp(o->name, word, len) != 0)
			continue;
		if (o->takes_value && !take_value(a, value))
			return complain(a, "no value for", "--", word, len);
		if (value && !o->takes_value)
			return complain(a, "no value belongs to", "--", word,
					len);
		return o->letter;
	}
	return complain(a, "unknown option", "--", word, len);
}

static int next_short(struct cli_args *a, const struct cli_option options[])
{
	const char *p = a->cluster;
	const char *rest = p[1] ? p + 1 : NULL;

	a->cluster = NULL;
	for (const struct cli_option *o = options; o && o->letter; o++) {
		if (o->letter != *p)
			continue;
		if (!o->takes_value)
			a->cluster = rest;
		else if (!take_value(a, rest))
			return complain(a, "no value for", "-", p, 1);
		return o->letter;
	}
	return complain(a, "unknown option", "-", p, 1);
}

int cli_next(struct cli_args *a, const struct cli_option options[])
{
	const char *word;

	if (a->cluster)
		return next_short(a, options);
	if (a->i >= a->argc)
		return 0;
	word = a->argv[a->i];
	if (word[0] != '-' || !word[1])
		return 0;
	a->i++;
	if (word[1] != '-') {
		a->cluster = word + 1;
		return next_short(a, options);
	}
	return word[2] ? next_long(a, options, word + 2) : 0;
}

bool cli_operands(const struct cli_args *a, int min, int max)
{
	int n = a->argc - a->i;

	if (n < min)
		cli_usage(a->argv[0], "something is missing");
	else if (max >= 0 && n > max)
		cli_usage(a->argv[0], "%s is too much", a->argv[a->i + max]);
	else
		return true;
	return false;
}

long cli_number(const struct cli_args *a, long min, long max)
{
	long v = nbd_number(a->value, min, max);

	if (v < 0)
		cli_usage(a->argv[0], "%s is not a number from %ld to %ld",
			  a->value, min, max);
	return v;
}
