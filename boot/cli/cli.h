/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands of nbdboot have in common. */
#ifndef BOOT_CLI_CLI_H
#define BOOT_CLI_CLI_H

#include "boot/device/tls.h"
#include "core/nbd_uri.h"

/* Exit status of every command. */
#define CLI_OK	   0
#define CLI_FAILED 1
#define CLI_USAGE  2

/* ---- commands: each is one file, cmd_NAME.c, with one cmd_NAME ---- */

/* What a command is called with. */
struct cli_call {
	char *program; /* argv[0] of the process, which ps(1) shows */
	char **words;  /* the operands, NULL at the end */
	void *options; /* what its table filled in */
	/* what an error is about: the first operand, or else the command */
	const char *subject;
	struct nbd_diag d;
};

/* How large a struct of options may be. */
#define CLI_OPTIONS_MAX 1024
/* Any number of operands. */
#define CLI_ANY		255

struct command {
	const char *name;
	const char *summary; /* one line: what it does */
	const char *help;    /* lines that explain more, or NULL */
	struct {
		unsigned char min, max;
		/* such as "URI|HOST"; the last name stands for the rest, too */
		const char *name[4];
	} operands;
	bool devices; /* operands must be names of nbd devices */
	const struct cli_option *options; /* NULL: none */
	bool raw; /* `words` is argv: nothing is checked */
	/*
	 * Returns the exit status, or a negative enum nbd_err with the reason
	 * in call->d.  Output in cli_out is flushed afterwards.
	 */
	int (*run)(struct cli_call *call);
};

/* The commands of this build, NULL at the end (commands.c). */
extern const struct command *const cli_commands[];

/* NULL if there is no such command. */
const struct command *cli_find(const char *name);

/* ---- options (args.c) ---- */

/* What an option takes, and the type of its field. */
enum cli_kind {
	CLI_FLAG,   /* nothing; bool, set to true */
	CLI_TEXT,   /* any text; const char *, into argv */
	CLI_NUMBER, /* a decimal number from min to max; int or unsigned */
	CLI_DEVICE, /* nbdN or /dev/nbdN; int, set to N */
};

/*
 * A table of them ends with a name of NULL.  There it may go on in another
 * table: then `more` is that table, and `at` says where in this table's struct
 * the other table's struct is.
 */
struct cli_option {
	const char *name;  /* of the long form, without -- */
	char letter;	   /* of the short form; '\0': there is none */
	const char *value; /* what help calls its value; NULL for a flag */
	const char *help;  /* one line */
	enum cli_kind kind;
	size_t at;     /* where its field is in the struct of options */
	int min, max;  /* of a number; 0 <= min */
	int preset;    /* a number or a device that is not given */
	bool required; /* for help: the command wants it */
	const struct cli_option *more;
};

/* The field of an option: its type says what kind of option that is. */
#define CLI_FIELD(type, field) \
	.kind = _Generic(((type *)0)->field, bool: CLI_FLAG, int: CLI_NUMBER, \
			 unsigned: CLI_NUMBER, const char *: CLI_TEXT),       \
	.at = offsetof(type, field)

/*
 * Takes the options of argv (argv[0] is skipped) into *options, which is all
 * zero, and returns the operands; they end with NULL, and there are as many as
 * c wants.  NULL after a message: then the exit status is CLI_USAGE.
 */
char **cli_parse(const struct command *c, char *argv[], void *options);

/*
 * The option at o, or the first one of the table that follows where o is the
 * end of a table; NULL: no more.  Where the struct of another table begins is
 * added to *base.
 */
const struct cli_option *cli_skip(const struct cli_option *o, size_t *base);

/* ---- servers (target.c) ---- */

/* The longest URI that can be a backend identifier: sysfs shows a page. */
#define CLI_URI_MAX 4000

/* Options that complete a host; zero: not given. */
struct cli_server {
	const char *name; /* of the export */
	unsigned port;
	struct tls_files files;
};

/* --port and those of TLS, for struct cli_server; --name is not in it. */
extern const struct cli_option cli_server_options[];
/* For struct tls_files; empty in a build without TLS. */
extern const struct cli_option cli_tls_options[];

/* Which server and export: what a word of the command line means. */
struct cli_target {
	struct nbd_uri uri;
	char buf[CLI_URI_MAX + 16];
};

/*
 * word is a URI, a host or address, or the path of a socket (it has a slash).
 * s completes a host, which is spoken to with TLS if s names files; a URI has
 * a name and a port of its own.  t->uri keeps pointers to s->name and into *t.
 * 0, or NBD_E_URI or NBD_E_USAGE with the reason in d.
 */
int cli_target(struct cli_target *t, const char *word,
	       const struct cli_server *s, struct nbd_diag *d);

/* ---- output (out.c) ---- */

/* Buffered standard output; a full disk or a closed pipe shows at the end. */
extern struct nbd_out cli_out;
#define cli_putf(...) nbd_putf(&cli_out, __VA_ARGS__)
/* CLI_OK, or CLI_FAILED after a message: some output was lost. */
int cli_flush(void);

/*
 * "nbdboot: SUBJECT: REASON (what to do)" on standard error.  Returns the
 * exit status that err calls for.
 */
int cli_fail(const char *subject, int err, const struct nbd_diag *d);
/* "nbdboot: COMMAND: ... (see `nbdboot help COMMAND`)"; CLI_USAGE. */
int cli_usage(const char *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The message about a word that should be a device, for cli_usage(). */
#define CLI_NO_DEVICE "%s is not the name of an nbd device, such as nbd0"

/* "1073741824 (1.0G)": bytes, and the same rounded. */
void cli_put_size(uint64_t size);

#endif
