/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot ifup: brings up the network of the boot, from a shell. */
#include "boot/cli/cli.h"
#include "boot/system/console.h"
#include "boot/net/handoff.h"
#include "boot/net/net.h"
#include "boot/net/renew.h"

#include <string.h>

/* ms: longer than five requests take. */
#define RENEW_MS 32000

struct options {
	bool renew, verbose;
};

static const struct cli_option options[] = {
	{ "verbose", 'v', NULL, "report each step",
	  CLI_FIELD(struct options, verbose) },
	{ "renew", 'r', NULL,
	  "only renew the lease, and print the seconds until the next renewal",
	  CLI_FIELD(struct options, renew) },
	{ 0 },
};

static int renew(struct cli_call *call)
{
	struct net_renewal r;
	uint32_t t1;
	int err = net_renew_read(&r, &call->d);

	call->subject = HANDOFF_LEASE;
	if (!err)
		err = net_renew_once(&r, RENEW_MS, false, &call->d);
	if (!err)
		err = net_renew_keep(&r, &call->d);
	if (err)
		return err;
	t1 = net_lease6_begun(&r.j.lease6) ? r.j.lease6.lease.t1
					   : r.j.dhcp.lease.t1;
	cli_putf("%u\n", t1 < INT32_MAX ? t1 : INT32_MAX);
	return CLI_OK;
}

static int up(struct cli_call *call)
{
	struct net net = { 0 };
	/* a byte more than the parser takes, so that it sees what is too long */
	char line[CMDLINE_MAX + 1];
	struct nbd_out o = { .buf = line, .cap = CMDLINE_MAX };
	struct cmdline c;
	int err;

	call->subject = "network";
	for (char **word = call->words; *word; word++) {
		nbd_put(&o, *word, strlen(*word));
		nbd_put(&o, " ", 1);
	}
	line[o.len] = '\0';
	err = boot_cmdline_parse(&c, line, &call->d);
	if (!err)
		err = net_configure(&net, &c, NULL, &call->d);
	if (!err)
		err = net_up(&net, false, &call->d);
	if (!err)
		cli_putf("%s\n", net.state.name);
	return err;
}

static int run(struct cli_call *call)
{
	const struct options *o = call->options;

	boot_console_debug = o->verbose;
	if (o->renew && cli_extra("ifup", call->words, 0))
		return CLI_USAGE;
	return o->renew ? renew(call) : up(call);
}

const struct command cmd_ifup = {
	.name = "ifup",
	.group = CLI_NET,
	.summary = "bring the network up as init does, print the interface",
	.help = "WORD is one of the kernel command line: ip=dhcp, nameserver=, "
		"vlan= ...\n",
	.operands = { 0, CLI_ANY, { "WORD" } },
	.options = options,
	.run = run,
};
