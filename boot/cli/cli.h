/* SPDX-License-Identifier: BSD-2-Clause */
/* What the subcommands of nbdboot have in common. */
#ifndef BOOT_CLI_CLI_H
#define BOOT_CLI_CLI_H

#include "boot/device/tls.h"
#include "core/nbd_uri.h"

/* Exit status of every command. */
#define CLI_OK	   0
#define CLI_FAILED 1
#define CLI_USAGE  2

/* argv[0] is the command's own name. */
struct command {
	const char *name;
	int (*run)(int argc, char *argv[]);
	const char *usage; /* what follows the name */
	const char *help;  /* a line, then what its options mean */
};

extern const struct command cli_commands[];
extern const unsigned cli_n_commands;
/* The program's own argv[0], as ps(1) shows it. */
extern char *cli_self;

/* main.c; NULL if there is no such command. */
const struct command *cli_find(const char *name);

/* ---- words (args.c) ---- */

struct cli_option {
	char letter;	  /* '\0' ends the table */
	bool takes_value; /* in cli_args.value */
	const char *name; /* of the long form, without --; or NULL */
};

struct cli_args {
	int argc;
	char **argv;
	int i; /* the next word; after cli_next() == 0 the first operand */
	const char *cluster; /* rest of a word like -aR */
	const char *value;   /* of the option just returned */
};

/*
 * The letter of the next option, 0 at the first operand, or -1 after having
 * told what is wrong: the command then returns CLI_USAGE.
 */
int cli_next(struct cli_args *a, const struct cli_option options[]);

/*
 * Checks the count of operands (max -1: any).  False after having told what
 * is wrong.
 */
bool cli_operands(const struct cli_args *a, int min, int max);

/*
 * The value of option a as a decimal number within bounds, or -1 after having
 * told what is wrong.
 */
long cli_number(const struct cli_args *a, long min, long max);

/* ---- targets (target.c) ---- */

/* The longest URI that can be a backend identifier: sysfs shows a page. */
#define CLI_URI_MAX 4000

/* Which server and export: URI, HOST or /SOCKET, with -n and -p. */
struct cli_target {
	struct nbd_uri uri;
	char buf[CLI_URI_MAX + 16];
};

/*
 * word is a URI, a host or address, or the path of a socket (it has a slash).
 * name and port (NULL: not given) complete a host; a URI has them already.
 * 0, or NBD_E_URI or NBD_E_USAGE with the reason in d.
 */
int cli_target(struct cli_target *t, const char *word, const char *name,
	       const char *port, struct nbd_diag *d);

/* The files of TLS, as gnbd(8) has them. */
#ifdef CONFIG_PORT_MBEDTLS
#define CLI_TLS_OPTIONS \
	{ 'A', true, "ca" }, { 'C', true, "cert" }, { 'K', true, "key" },
#define CLI_TLS_USAGE "[-A CA] [-C CERT -K KEY] "
#define CLI_TLS_HELP                                                       \
	"-A    certificates of the CAs that a server's may be signed by\n" \
	"-C    our certificate, if the server wants one\n"                 \
	"-K    its key\n"
#else
#define CLI_TLS_OPTIONS
#define CLI_TLS_USAGE ""
#define CLI_TLS_HELP  ""
#endif

/* What `connect` has for those who change connections later. */
#ifdef CONFIG_BOOT_RECONNECT
#define CLI_SLOTS_OPTIONS                                           \
	{ 'm', true, "max-connections" }, { 's', false, "spread" }, \
		{ 'w', false, "swap" },
#define CLI_SLOTS_USAGE "[-m MAX] [-s] [--swap] "
#define CLI_SLOTS_HELP                                                       \
	"-m N  room for that many, for `nbdboot scale` (one for each CPU)\n" \
	"-s    spread them over all servers; read-only\n"                    \
	"--swap  memory is freed through it: for swap space\n"
#else
#define CLI_SLOTS_OPTIONS
#define CLI_SLOTS_USAGE ""
#define CLI_SLOTS_HELP	""
#endif

/* Takes a file of TLS. */
void cli_tls_file(struct tls_files *f, int option, const char *value);
/* A host, in place of a URI, is spoken to with TLS if files were given. */
void cli_target_tls(struct cli_target *t, const char *word,
		    const struct tls_files *f);

/* ---- output (out.c) ---- */

/* Buffered standard output; a full disk or a closed pipe shows at the end. */
extern struct nbd_out cli_out;
/* CLI_OK, or CLI_FAILED after having told that the output was lost. */
int cli_flush(void);

/*
 * "nbdboot: SUBJECT: REASON (what to do)" on standard error.  Returns the
 * exit status that err calls for.
 */
int cli_fail(const char *subject, int err, const struct nbd_diag *d);
/* "nbdboot: COMMAND: ... (see `nbdboot help COMMAND`)"; CLI_USAGE. */
int cli_usage(const char *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* "... is not the name of an nbd device": CLI_USAGE. */
int cli_no_device(const char *command, const char *word);

/* "1073741824 (1.0G)": bytes, and what a person can remember (size.c). */
void cli_put_size(uint64_t size);

/* ---- the commands ---- */

int cmd_connect(int argc, char *argv[]);
int cmd_disconnect(int argc, char *argv[]);
int cmd_reconnect(int argc, char *argv[]);
int cmd_scale(int argc, char *argv[]);
int cmd_rotate(int argc, char *argv[]);
int cmd_status(int argc, char *argv[]);
int cmd_watch(int argc, char *argv[]);
int cmd_list(int argc, char *argv[]);
int cmd_exports(int argc, char *argv[]);
int cmd_info(int argc, char *argv[]);
int cmd_copy(int argc, char *argv[]);
int cmd_load(int argc, char *argv[]);
int cmd_unload(int argc, char *argv[]);
int cmd_switch_root(int argc, char *argv[]);
int cmd_boot_time(int argc, char *argv[]);
int cmd_shutdown(int argc, char *argv[]);
int cmd_init(int argc, char *argv[]);
int cmd_parse_root(int argc, char *argv[]);
int cmd_ifup(int argc, char *argv[]);
int cmd_renew(int argc, char *argv[]);
int cmd_modprobe(int argc, char *argv[]);
int cmd_help(int argc, char *argv[]);
int cmd_version(int argc, char *argv[]);

#endif
