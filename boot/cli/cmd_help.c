/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot help: lists the commands, or explains one. */
#include "boot/cli/cli.h"

static int run(struct cli_call *call)
{
	const struct command *c;

	for (unsigned i = 0; !call->words[0] && cli_commands[i]; i++)
		cli_putf("%-11s %s\n", cli_commands[i]->name,
			 cli_commands[i]->summary);
	if (call->words[0]) {
		c = cli_find(call->words[0]);
		if (!c)
			return cli_usage("help", "unknown command %s",
					 call->words[0]);
		cli_explain(c);
	}
	cli_putf("Exit status: 0 done, 1 failed, 2 wrong usage.\n");
	return CLI_OK;
}

const struct command cmd_help = {
	.name = "help",
	.summary = "list the commands, or explain one",
	.operands = { 0, 1, { "COMMAND" } },
	.run = run,
};
