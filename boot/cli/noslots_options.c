/* SPDX-License-Identifier: BSD-2-Clause */
/* A build that cannot change connections later has no options for that. */
#include "boot/cli/connect.h"

const struct cli_option cli_slots_options[] = {
	{ .more = cli_server_options,
	  .at = offsetof(struct cli_connect, server) },
};
