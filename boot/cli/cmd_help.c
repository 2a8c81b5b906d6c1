/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot help: lists the commands, or explains one. */
#include "boot/cli/cli.h"

/* In the order of enum cli_group. */
static const struct group {
	const char *title, *page;
} groups[CLI_GROUPS] = {
	{ "Make and change devices", "nbdboot-connect(8)" },
	{ "Outages", "nbdboot-watch(8)" },
	{ "State and settings of devices", "nbdboot-list(8)" },
	{ "Slow devices", "nbdboot-trace(8)" },
	{ "Servers and images", "nbdboot-copy(1)" },
	{ "Boot and shutdown", "nbdboot-init(8)" },
	{ "Network of a boot", "nbdboot-ifup(8)" },
	{ "Servers far away", "nbdboot-prefetch(8)" },
	{ "Local disks", "nbdboot-clone(8)" },
	{ "Several images", "nbdboot-image(8)" },
	{ "Keys", "nbdboot-seal(8)" },
	{ "Another root", "nbdboot-reroot(8)" },
	{ "In place of another program", "nbdboot-nbd-client(8)" },
	{ "Help", "nbdboot(8)" },
};

static void put_group(unsigned group)
{
	const struct command *const *c = cli_commands;
	bool first = true;

	for (; *c; c++) {
		if ((*c)->group != group)
			continue;
		if (first)
			cli_putf("\n%s: %s\n", groups[group].title,
				 groups[group].page);
		first = false;
		cli_putf("  %-11s %s\n", (*c)->name, (*c)->summary);
	}
}

static void put_all(void)
{
	cli_putf("usage: nbdboot COMMAND [OPTION...] [OPERAND...]\n"
		 "       nbdboot help COMMAND, or nbdboot COMMAND --help\n");
	for (unsigned i = 0; i < CLI_GROUPS; i++)
		put_group(i);
	cli_putf("\n");
}

static int run(struct cli_call *call)
{
	const char *name = call->words[0];
	const struct command *c = name ? cli_find(name) : NULL;

	if (name && !c)
		return cli_unknown("help", name);
	if (c) {
		cli_explain(c);
		cli_putf("Manual: %s\n", groups[c->group].page);
	} else {
		put_all();
	}
	/* nbd-client has others */
	if (!c || c->group != CLI_CLIENT)
		cli_putf("Exit status: 0 done, 1 failed, 2 wrong usage.\n");
	return CLI_OK;
}

const struct command cmd_help = {
	.name = "help",
	.group = CLI_HELP,
	.summary = "list the commands, or explain one",
	.operands = { 0, 1, { "COMMAND" } },
	.run = run,
};
