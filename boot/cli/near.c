/* SPDX-License-Identifier: BSD-2-Clause */
/* Near misses: which name a mistyped word may mean. */
#include "boot/cli/args.h"

#include <string.h>

/* No command and no option has a longer name. */
#define LONGEST 24

static unsigned min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * How many letters to add, to leave out, to change or to swap with the next one
 * (the optimal string alignment).  Row i has the costs of the first i letters
 * of a.
 */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned rows[LONGEST + 1][LONGEST + 1];

	for (unsigned i = 0; i <= na; i++)
		for (unsigned j = 0; j <= nb; j++) {
			unsigned *cost = &rows[i][j];

			if (!i || !j) {
				*cost = i + j;
				continue;
			}
			*cost = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			*cost = min(*cost, rows[i - 1][j] + 1);
			*cost = min(*cost, rows[i][j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				*cost = min(*cost, rows[i - 2][j - 2] + 1);
		}
	return rows[na][nb];
}

/* Half of a word is too much to be a mistake. */
static unsigned limit(size_t len)
{
	return len < 3 ? 0 : len < 5 ? 1 : 2;
}

void cli_near(struct cli_near *n, const char *name)
{
	size_t len = strlen(name);
	unsigned cost;

	if (n->len > LONGEST || len > LONGEST)
		return;
	cost = distance(n->word, n->len, name, len);
	if (n->len >= 3 && !strncmp(n->word, name, n->len))
		cost = 1;
	if (cost > limit(n->len) || (n->name && cost >= n->cost))
		return;
	n->name = name;
	n->cost = cost;
}

int cli_unknown(const char *command, const char *word)
{
	struct cli_near near = { .word = word, .len = strlen(word) };

	for (unsigned i = 0; cli_commands[i]; i++)
		cli_near(&near, cli_commands[i]->name);
	if (near.name)
		return cli_usage(command,
				 "unknown command %s (did you mean %s?)", word,
				 near.name);
	if (word[0] == '-' && cli_find("nbd-client"))
		return cli_usage(command,
				 "unknown command %s (`nbdboot nbd-client %s` "
				 "takes the options of nbd-client)",
				 word, word);
	return cli_usage(command,
			 command[0] ? "unknown command %s (see `nbdboot help`)"
				    : "unknown command %s",
			 word);
}
