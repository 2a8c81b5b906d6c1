/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot disconnect: ends a device that nobody uses. */
#include "boot/cli/cli.h"
#include "port/linux/nbdk.h"

int cmd_disconnect(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 'f', false, "force" },
						     { 0 } };
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct nbd_diag d = { "" };
	bool force = false;
	int o, index, err = 0;

	while ((o = cli_next(&a, options)) > 0)
		force = true;
	if (o < 0 || !cli_operands(&a, 1, 1))
		return CLI_USAGE;
	index = nbdk_parse_name(argv[a.i]);
	if (index < 0)
		return cli_no_device(argv[0], argv[a.i]);
	if (!force)
		err = nbdk_in_use(index, &d);
	if (!err)
		err = nbdk_disconnect(index, &d);
	return err ? cli_fail(argv[a.i], err, &d) : CLI_OK;
}
