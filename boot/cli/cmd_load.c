/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot load: loads the kernel's nbd module. */
#include "boot/cli/cli.h"
#include "port/linux/module.h"

static int run(struct cli_call *call)
{
	call->subject = "nbd";
	return mod_load("nbd", "", &call->d);
}

const struct command cmd_load = {
	.name = "load",
	.group = CLI_CONNECT,
	.summary = "load the kernel's nbd module",
	.run = run,
};
