/* SPDX-License-Identifier: BSD-2-Clause */
/* A build whose devices keep their connections has no options to change them. */
#include "boot/cli/connect.h"

const struct cli_option cli_slots_options[] = {
	{ .more = cli_server_options,
	  .at = offsetof(struct cli_connect, server) },
};
