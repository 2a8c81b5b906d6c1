/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of commands: C(connect) C(disconnect) ..., made by build.mk. */
#include "boot/cli/cli.h"

#include <string.h>

#define C(name) extern const struct command cmd_##name;
CLI_COMMANDS
#undef C

#define C(name) &cmd_##name,
const struct command *const cli_commands[] = { CLI_COMMANDS NULL };

const struct command *cli_find(const char *name)
{
	const struct command *const *c = cli_commands;

	while (*c && strcmp((*c)->name, name) != 0)
		c++;
	return *c;
}
