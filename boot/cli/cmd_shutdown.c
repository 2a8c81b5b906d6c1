/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot shutdown: systemd-shutdown executes it as /shutdown. */
#include "boot/cli/cli.h"
#include "boot/cli/next.h"

static int run(struct cli_call *call)
{
	return init_shutdown(call->words[0], cli_next);
}

/* systemd-shutdown adds options of its own after the verb. */
const struct command cmd_shutdown = {
	.name = "shutdown",
	.group = CLI_BOOT,
	.summary = "unmount, disconnect and reboot (or another verb)",
	.help = "Runs as process 1, from /run/initramfs.  ARG is ignored.\n",
	.operands = { 1, CLI_ANY, { "reboot|poweroff|halt|kexec", "ARG" } },
	.run = run,
};
