/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot help, nbdboot version. */
#include "boot/cli/cli.h"
#include "boot/common/version.h"

#include <string.h>

static void put(const char *text)
{
	nbd_put(&cli_out, text, strlen(text));
}

static void put_usage(const struct command *c)
{
	put("nbdboot ");
	put(c->name);
	put(c->usage[0] ? " " : "");
	put(c->usage);
	put("\n");
}

int cmd_help(int argc, char *argv[])
{
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	const struct command *c;

	if (cli_next(&a, NULL) || !cli_operands(&a, 0, 1))
		return CLI_USAGE;
	if (argc == 1) {
		for (unsigned i = 0; i < cli_n_commands; i++)
			put_usage(&cli_commands[i]);
		put("Exit status: 0 done, 1 failed, 2 wrong usage.\n");
		return cli_flush();
	}
	c = cli_find(argv[1]);
	if (!c)
		return cli_usage("help", "no command %s", argv[1]);
	put_usage(c);
	put(c->help);
	put("Exit status: 0 done, 1 failed, 2 wrong usage.\n");
	return cli_flush();
}

int cmd_version(int argc, char *argv[])
{
	struct cli_args a = { argc, argv, 1, NULL, NULL };

	if (cli_next(&a, NULL) || !cli_operands(&a, 0, 0))
		return CLI_USAGE;
	nbd_putf(&cli_out, "nbdboot %s\n", boot_version);
	return cli_flush();
}
