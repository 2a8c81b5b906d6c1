/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot disconnect: disconnects a device that is not in use. */
#include "boot/cli/cli.h"
#include "port/linux/nbdk.h"

static const struct cli_option options[] = {
	{ "force", 'f', NULL, "even if it is mounted or open",
	  .kind = CLI_FLAG },
	{ 0 },
};

static int run(struct cli_call *call)
{
	const bool *force = call->options;
	int index = nbdk_parse_name(call->words[0]);
	int err = *force ? 0 : nbdk_in_use(index, &call->d);

	return err ? err : nbdk_disconnect(index, &call->d);
}

const struct command cmd_disconnect = {
	.name = "disconnect",
	.summary = "disconnect a device",
	.operands = { 1, 1, { "nbdN" } },
	.devices = true,
	.options = options,
	.run = run,
};
