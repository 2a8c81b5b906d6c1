/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line of nbd-client(8), versions 3.24 to 3.27, and nbdtab(5):
 *
 *	words --cli_nbd_client_parse()--> struct cli_nbd_client
 *	nbdtab --cli_nbdtab_find()-----------^
 */
#ifndef BOOT_CLI_NBD_CLIENT_H
#define BOOT_CLI_NBD_CLIENT_H

#include "boot/cli/connect.h"

/* What the command line asks for. */
enum cli_nbd_client_verb {
	CLI_NBD_CONNECT,
	CLI_NBD_TABLE, /* connect as nbdtab says */
	CLI_NBD_DISCONNECT,
	CLI_NBD_CHECK,
	CLI_NBD_LIST,
	CLI_NBD_VERSION,
	CLI_NBD_HELP,
};

/* Strings point into the words, or into the text of nbdtab. */
struct cli_nbd_client {
	struct cli_connect to; /* to.at.index is -1 if no device was named */
	const char *host;      /* or the path of a socket, or a URI */
	const char *check, *disconnect; /* devices */
	const char *identifier, *priority, *size, *tls_hostname;
	bool list, version, help;
	bool is_unix, tls, persist, mark, foreground;
	bool ioctl, preinit, sdp;
};

/* The options, for struct cli_nbd_client. */
extern const struct cli_option cli_nbd_client_options[];

/*
 * Parses argv (argv[0] is skipped, the words may be moved) into *client, which
 * is all zero at first.  Returns an enum cli_nbd_client_verb; NBD_E_USAGE with
 * the reason in d, or with d->text "" after a message.
 */
int cli_nbd_client_parse(struct cli_nbd_client *client, char *argv[],
			 struct nbd_diag *d);

/* Completes the options that depend on each other; 0 or NBD_E_USAGE. */
int cli_nbd_client_check(struct cli_nbd_client *client, struct nbd_diag *d);

/*
 * Stores what the nbdtab says about the device client->to.at.index.  Cuts text
 * into words; strings of client then point into it.  0, NBD_E_NOT_FOUND: it has
 * no line for the device, NBD_E_USAGE: the line is wrong; the reason is in d.
 */
int cli_nbdtab_find(struct cli_nbd_client *client, char *text,
		    struct nbd_diag *d);

/*
 * Takes one option as in nbdtab, "bs=512" or "swap".  0, or NBD_E_NOT_FOUND: it
 * is unknown, or NBD_E_USAGE after a message.
 */
int cli_nbdtab_option(struct cli_nbd_client *client, const char *word);

#endif
