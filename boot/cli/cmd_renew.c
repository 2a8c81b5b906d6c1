/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot renew: stays, and renews the lease of the root's address. */
#include "boot/cli/cli.h"
#include "boot/system/harden.h"
#include "boot/net/handoff.h"
#include "boot/net/renew.h"

static int run(struct cli_call *call)
{
	struct net_renewal r;

	boot_small_pages();
	call->subject = HANDOFF_LEASE;
	return net_renewd_run(&r, &call->d);
}

const struct command cmd_renew = {
	.name = "renew",
	.group = CLI_NET,
	.summary = "stay, and renew the lease of the root's address",
	.run = run,
};
