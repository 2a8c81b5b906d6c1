/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to the parsers of options: of the command line (args.c), of
 * nbd-client's (args_long.c) and of nbdtab (nbdtab.c).
 */
#ifndef BOOT_CLI_ARGS_H
#define BOOT_CLI_ARGS_H

#include "boot/cli/cli.h"

struct cli_parser {
	const struct command *c; /* its options, and the name for messages */
	char **argv;		 /* the next word */
	char *options;		 /* the struct of options to fill in */
	/* the current option, as written */
	const char *dashes, *name;
	size_t len; /* of name */
	bool by_letter;
};

/* Sets the numbers that have a preset. */
void cli_preset(const struct cli_parser *p);

/* The current option in the table, as cli_skip(); NULL: it is unknown. */
const struct cli_option *cli_current(const struct cli_parser *p, size_t *base);

/*
 * Takes the option that p->dashes, name and len name.  value is what followed
 * a '=', or NULL: then an option with a value takes the next word.  CLI_OK, or
 * CLI_USAGE after a message.
 */
int cli_take_name(struct cli_parser *p, const char *value);

/* The same for a word of letters, "aR" or "c4", without its dash. */
int cli_take_letters(struct cli_parser *p, const char *word);

/* Prints BEFORE, the option and AFTER; returns CLI_USAGE. */
int cli_complain(const struct cli_parser *p, const char *before,
		 const char *after);

/* ---- near misses (near.c) ---- */

/* A search for the name that a mistyped word may mean. */
struct cli_near {
	const char *word; /* as typed; len bytes */
	size_t len;
	const char *name; /* the best one so far, or NULL */
	unsigned cost;	  /* of that one; 0 at first */
};

/*
 * Keeps name if it is nearer to the word than all before: one or two letters
 * are missing, are too many, are wrong, or changed places; or the word is its
 * beginning.  In a build without suggestions it keeps none.
 */
void cli_near(struct cli_near *n, const char *name);

/* ---- nbd-client's (args_long.c) ---- */

/*
 * Like cli_parse(), but by the rules of getopt_long_only(3): long names may
 * have one dash and be abbreviated, and operands may come first.  Does not
 * check the number of operands.  Moves the operands to the start of argv.
 */
char **cli_parse_long(const struct command *c, char *argv[], void *options);

#endif
