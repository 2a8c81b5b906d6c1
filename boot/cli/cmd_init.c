/* SPDX-License-Identifier: BSD-2-Clause */
/* What runs in an initramfs: init, modprobe, switch-root. */
#include "boot/cli/cli.h"
#include "boot/init/init.h"
#include "boot/init/switch.h"
#include "port/linux/module.h"

int cmd_init(int argc, char *argv[])
{
	return init_boot(argc, argv);
}

int cmd_switch_root(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 'c', true, "console" },
						     { 0 } };
	static char *default_init[] = { "/sbin/init", NULL };
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct nbd_diag d = { "" };
	const char *console = NULL;
	int o, err;

	while ((o = cli_next(&a, options)) > 0)
		console = a.value;
	if (o < 0 || !cli_operands(&a, 1, -1))
		return CLI_USAGE;
	err = init_switch_root(console, argv[a.i],
			       a.i + 1 < argc ? argv + a.i + 1 : default_init,
			       NULL, &d);
	return cli_fail(argv[a.i], err, &d);
}

/* The kernel calls it `modprobe -q -- ALIAS`, for a cipher or a code page. */
int cmd_modprobe(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 'q', false, "quiet" },
						     { 0 } };
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct nbd_diag d = { "" };
	bool quiet = false;
	int o, err;

	while ((o = cli_next(&a, options)) > 0)
		quiet = true;
	if (o < 0 || !cli_operands(&a, 1, 1))
		return CLI_USAGE;
	err = mod_load_alias(argv[a.i], &d);
	if (err == NBD_E_NOT_FOUND)
		err = mod_load(argv[a.i], "", &d);
	if (err && quiet)
		return CLI_FAILED;
	return err ? cli_fail(argv[a.i], err, &d) : CLI_OK;
}
