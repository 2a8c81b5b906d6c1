/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot shutdown: what systemd-shutdown calls /shutdown. */
#include "boot/cli/cli.h"
#include "boot/init/shutdown.h"

/* It gives us the verb, and then options of its own. */
int cmd_shutdown(int argc, char *argv[])
{
	return argc < 2 ? cli_usage(argv[0], "which verb?")
			: init_shutdown(argv[1]);
}
