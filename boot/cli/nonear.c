/* SPDX-License-Identifier: BSD-2-Clause */
/* Without suggestions: for a program that only scripts and the kernel start. */
#include "boot/cli/args.h"

int cli_unknown(const char *command, const char *word)
{
	return cli_usage(command, "unknown command %s", word);
}

int cli_unknown_option(const struct cli_parser *p)
{
	return cli_complain(p, "unknown option", "");
}
