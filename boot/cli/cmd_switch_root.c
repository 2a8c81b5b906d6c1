/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot switch-root: the last command of a script in an initramfs. */
#include "boot/cli/cli.h"
#include "boot/init/switch.h"

static const struct cli_option options[] = {
	{ "console", 'c', "CONSOLE",
	  "open CONSOLE as standard input, output and error",
	  .kind = CLI_TEXT },
	{ 0 },
};

static int run(struct cli_call *call)
{
	char *default_init[] = { "/sbin/init", NULL };
	const char *const *console = call->options;
	char **words = call->words;

	return init_switch_root(*console, words[0],
				words[1] ? words + 1 : default_init, NULL, NULL,
				NULL, &call->d);
}

const struct command cmd_switch_root = {
	.name = "switch-root",
	.group = CLI_BOOT,
	.summary = "make NEWROOT the root and become INIT (/sbin/init)",
	.operands = { 1, CLI_ANY, { "NEWROOT", "INIT", "ARG" } },
	.options = options,
	.run = run,
};
