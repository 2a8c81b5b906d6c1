/* SPDX-License-Identifier: BSD-2-Clause */
/* What nbdboot info keeps while it asks a server. */
#ifndef BOOT_CLI_INFO_H
#define BOOT_CLI_INFO_H

#include "boot/cli/cli.h"
#include "core/nbd_io.h"
#include "port/latency.h"
#include "port/posix/dial.h"

struct info {
	const char *subject; /* as on the command line */
	bool json;
	struct conn conn;
	struct nbd_io io;
	struct nbd_latency latency;
	struct tls_files files;
	struct nbd_diag d;
};

/*
 * Makes one request and waits for its answer, which must come within a time.
 * Returns the count of extents (0 unless it was BLOCK_STATUS), or an error
 * with the reason in i->d.
 */
int cli_info_ask(struct info *i, const struct nbd_op *op);

/*
 * Prints what is data, hole and zero of the export.  A server that does not
 * tell has nothing but data, and the user is told so.
 */
int cli_info_map(struct info *i);

#endif
