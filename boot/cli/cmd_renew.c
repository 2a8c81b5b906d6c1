/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot renew: stays, and renews the lease of the root's address. */
#include "boot/cli/cli.h"
#include "boot/common/harden.h"
#include "boot/net/export.h"
#include "boot/net/renew.h"

int cmd_renew(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 0 } };
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct net_renewal r;
	struct nbd_diag d;
	int err;

	boot_small_pages();
	if (cli_next(&a, options) < 0 || !cli_operands(&a, 0, 0))
		return CLI_USAGE;
	err = net_renewd_run(&r, &d);
	return err ? cli_fail(EXPORT_LEASE, err, &d) : CLI_OK;
}
