/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot version. */
#include "boot/cli/cli.h"
#include "boot/words/version.h"
#include "boot/device/tls.h"

static int run(struct cli_call *call)
{
	(void)call;
	cli_putf("nbdboot %s\n%s\n", boot_version, device_tls_version());
	return CLI_OK;
}

const struct command cmd_version = {
	.name = "version",
	.group = CLI_HELP,
	.summary = "print the version",
	.run = run,
};
