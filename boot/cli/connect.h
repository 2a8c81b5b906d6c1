/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of nbdboot connect. */
#ifndef BOOT_CLI_CONNECT_H
#define BOOT_CLI_CONNECT_H

#include "boot/cli/cli.h"
#include "boot/device/attach.h"

struct cli_connect {
	struct attach at;
	struct cli_server server;
	bool any_image; /* --no-identity */
};

/*
 * For struct cli_connect: the options of a build that can change connections
 * later, or none; cli_server_options follow (slots_options.c,
 * noslots_options.c).
 */
extern const struct cli_option cli_slots_options[];

#endif
