/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot init: process 1 of an initramfs.  The kernel chooses its arguments.
 */
#include "boot/cli/cli.h"
#include "boot/init/init.h"
#include "boot/init/mount.h"
#include "boot/init/steps.h"

static int run(struct cli_call *call)
{
	static const struct plan plan = { .newroot = NEWROOT,
					  .steps = init_steps };

	return init_boot(call->words, &plan);
}

const struct command cmd_init = {
	.name = "init",
	.group = CLI_BOOT,
	.summary = "boot, as process 1 of an initramfs",
	.help = "Finds the root on the kernel command line, connects, mounts "
		"and\nswitches to it.\n",
	.raw = true,
	.run = run,
};
