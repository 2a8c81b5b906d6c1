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

/* The arguments of a command. */
struct cli_call {
	char *program; /* argv[0] of the process, which ps(1) shows */
	char **words;  /* the operands, NULL at the end */
	void *options; /* as filled in by its table */
	/* what errors are about: the first operand, or else the command */
	const char *subject;
	struct nbd_diag d;
};

/* The largest size of a struct of options. */
#define CLI_OPTIONS_MAX 1024
/* Any number of operands. */
#define CLI_ANY		255

/* The groups of `nbdboot help`, which are the pages of the manual (cmd_help.c). */
enum cli_group {
	CLI_CONNECT,
	CLI_WATCH,
	CLI_LIST,
	CLI_TRACE,
	CLI_COPY,
	CLI_BOOT,
	CLI_NET,
	CLI_PREFETCH,
	CLI_CLONE,
	CLI_IMAGE,
	CLI_SEAL,
	CLI_REROOT,
	CLI_CLIENT,
	CLI_HELP,
	CLI_GROUPS /* how many there are */
};

struct command {
	const char *name;
	uint8_t group;	     /* enum cli_group */
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
/* Prints that word is no command, and which one may be meant (near.c). */
int cli_unknown(const char *command, const char *word);

/* ---- options (args.c) ---- */

/* The kind of value that an option takes, and the type of its field. */
enum cli_kind {
	CLI_FLAG,   /* nothing; bool, set to true */
	CLI_TEXT,   /* any text; const char *, into argv */
	CLI_NUMBER, /* a decimal number from min to max; int or unsigned */
	CLI_DEVICE, /* nbdN or /dev/nbdN; int, set to N */
};

/*
 * A table ends with a name of NULL.  There it may continue in another table,
 * `more`, whose struct is the member at offset `at` of this table's struct.
 */
struct cli_option {
	const char *name;  /* of the long form, without -- */
	char letter;	   /* of the short form; '\0': there is none */
	const char *value; /* the name of its value in help; NULL for a flag */
	const char *help;  /* one line */
	uint8_t kind;	   /* enum cli_kind */
	bool required;	   /* for help: the command wants it */
	bool optional;	   /* its value is "" without =VALUE */
	uint16_t at;	   /* where its field is in the struct of options */
	int min, max;	   /* of a number; 0 <= min */
	int preset;	   /* the number or device if not given */
	const struct cli_option *more;
};

/* Initializes the field of an option, whose type determines the kind. */
#define CLI_FIELD(type, field) \
	.kind = _Generic(((type *)0)->field, bool: CLI_FLAG, int: CLI_NUMBER, \
			 unsigned: CLI_NUMBER, const char *: CLI_TEXT),       \
	.at = offsetof(type, field)

/* What a word asks for in place of the command. */
enum cli_wish {
	CLI_WISH_NONE = 0,
	CLI_WISH_HELP = -1,    /* --help, -h */
	CLI_WISH_VERSION = -2, /* --version */
};
int cli_wish(const char *word);

/*
 * *words are those of the command line, from the command's name on.  Stores the
 * options in *options, which is all zero at first, and sets *words to the
 * operands, as many as c allows and then a NULL.  Returns CLI_OK, CLI_USAGE
 * after a message, or the enum cli_wish that stands among the options or the
 * operands.
 */
int cli_parse(const struct command *c, char ***words, void *options);

/*
 * Returns the option at o, or if o is the end of a table, the first option of
 * the table that follows; NULL: no more.  Adds the offset of that table's
 * struct to *base.
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

/*
 * --port and the options for TLS, for struct cli_server; --name is not in it.
 */
extern const struct cli_option cli_server_options[];
/* For struct tls_files; empty in a build without TLS. */
extern const struct cli_option cli_tls_options[];

/* For struct copy_options, and what follows in its table. */
extern const struct cli_option cli_hash_options[];
extern const struct cli_option cli_rescue_options[];

/* The server and export that a word of the command line names. */
struct cli_target {
	struct nbd_uri uri;
	char buf[CLI_URI_MAX + 16];
};

/*
 * word is a URI, a host or address, or the path of a socket (it has a slash).
 * s completes a host, with TLS if s names files; a URI has a name and a port of
 * its own.  t->uri keeps pointers to s->name and into *t.  0, or NBD_E_URI or
 * NBD_E_USAGE with the reason in d.
 */
int cli_target(struct cli_target *t, const char *word,
	       const struct cli_server *s, struct nbd_diag *d);

/* NBD_E_URI, with the reason in d, if word is a URI of another protocol. */
int cli_check_scheme(const char *word, struct nbd_diag *d);

/*
 * Appends to d that -S leaves out the option at which c has ended, if it does.
 * Returns err.
 */
int cli_try_simple(const struct nbd_client *c, int err, struct nbd_diag *d);

/* ---- output (out.c) ---- */

/*
 * Buffered standard output; a full disk or a closed pipe is reported at the
 * end.
 */
extern struct nbd_out cli_out;
#define cli_putf(...) nbd_putf(&cli_out, __VA_ARGS__)
/* CLI_OK, or CLI_FAILED after a message: some output was lost. */
int cli_flush(void);
/* Of a text for standard error: that it is lost is no failure. */
void cli_flush_error(struct nbd_out *o);

/*
 * Prints "nbdboot: SUBJECT: REASON (what to do)" on standard error.  Returns
 * the exit status for err.
 */
int cli_fail(const char *subject, int err, const struct nbd_diag *d);
/* Prints "nbdboot: SUBJECT: TEXT" there if d has a text. */
void cli_warn(const char *subject, const struct nbd_diag *d);
/*
 * Prints "nbdboot: COMMAND: ... (see `nbdboot help COMMAND`)", or only the text
 * if that ends with a hint of its own in parentheses.  Returns CLI_USAGE.
 */
int cli_usage(const char *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * CLI_OK, or says which word is one too many: more than max are there; CLI_ANY:
 * any number may be.
 */
int cli_extra(const char *command, char *const words[], unsigned max);
/* The message about a word that is not a device, for cli_usage(). */
#define CLI_NO_DEVICE "%s is not the name of an nbd device, such as nbd0"

/* Prints the synopsis of a command, its summary and its options. */
void cli_explain(const struct command *c);

/* Prints "1073741824 (1.0G)": bytes, and the same rounded. */
void cli_put_size(uint64_t size);

#endif
