/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot load, nbdboot unload: the kernel's nbd module. */
#include "boot/cli/cli.h"
#include "port/linux/module.h"

static int run(int argc, char *argv[], bool load)
{
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct nbd_diag d = { "" };
	int err;

	if (cli_next(&a, NULL) || !cli_operands(&a, 0, 0))
		return CLI_USAGE;
	err = load ? mod_load("nbd", "", &d) : mod_unload("nbd", &d);
	return err ? cli_fail("nbd", err, &d) : CLI_OK;
}

int cmd_load(int argc, char *argv[])
{
	return run(argc, argv, true);
}

int cmd_unload(int argc, char *argv[])
{
	return run(argc, argv, false);
}
