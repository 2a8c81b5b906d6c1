/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot unload: removes the kernel's nbd module. */
#include "boot/cli/cli.h"
#include "port/linux/module.h"

static int run(struct cli_call *call)
{
	call->subject = "nbd";
	return mod_unload("nbd", &call->d);
}

const struct command cmd_unload = {
	.name = "unload",
	.group = CLI_CONNECT,
	.summary = "unload the kernel's nbd module",
	.run = run,
};
