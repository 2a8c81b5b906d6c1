/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of connect for devices whose connections may change later. */
#include "boot/cli/connect.h"

const struct cli_option cli_slots_options[] = {
	{ "max-connections", 'm', "N",
	  "room for N connections, for scale (as many as -c)",
	  CLI_FIELD(struct cli_connect, at.b.slots), .min = 1,
	  .max = CONFIG_PORT_MAX_CONNECTIONS },
	{ "spread", 's', NULL,
	  "spread the connections over all servers; for read-only devices",
	  CLI_FIELD(struct cli_connect, at.b.spread) },
	{ "swap", 0, NULL, "for swap space: keep memory free for connections",
	  CLI_FIELD(struct cli_connect, at.b.swap) },
	{ .more = cli_server_options,
	  .at = offsetof(struct cli_connect, server) },
};
