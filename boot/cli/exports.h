/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of a server's exports, for `exports` and `nbd-client -l`. */
#ifndef BOOT_CLI_EXPORTS_H
#define BOOT_CLI_EXPORTS_H

#include "boot/cli/cli.h"

/* Prints the entry that c is at; nbd_name() and nbd_text() describe it. */
typedef void cli_exports_print(const struct nbd_client *c, bool first);

/*
 * Calls print for each export of the server, and counts them in *n, also before
 * an error.  Returns 0, or an error with the reason in d.
 */
int cli_exports(const struct nbd_uri *u, const struct tls_files *files,
		cli_exports_print *print, unsigned *n, struct nbd_diag *d);

#endif
