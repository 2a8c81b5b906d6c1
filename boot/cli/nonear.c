/* SPDX-License-Identifier: BSD-2-Clause */
/* Without suggestions: for a program that only scripts and the kernel start. */
#include "boot/cli/args.h"

int cli_unknown(const char *command, const char *word)
{
	return cli_usage(command, "unknown command %s", word);
}

void cli_near(struct cli_near *n, const char *name)
{
	(void)n, (void)name;
}
