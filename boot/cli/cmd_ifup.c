/* SPDX-License-Identifier: BSD-2-Clause */
/* The network of the boot, from a shell. */
#include "boot/cli/cli.h"
#include "boot/common/console.h"
#include "boot/net/export.h"
#include "boot/net/net.h"
#include "boot/net/renew.h"

#include <string.h>

/* Longer than it takes to ask five times. */
#define RENEW_MS 32000

static int renew(void)
{
	struct net_renewal r;
	struct nbd_diag d;
	uint32_t t1;
	int rc = net_renew_read(&r, &d);

	if (!rc)
		rc = net_renew_once(&r, RENEW_MS, false, &d);
	if (!rc)
		rc = net_renew_keep(&r, &d);
	if (rc)
		return cli_fail(EXPORT_LEASE, rc, &d);
	t1 = r.j.dhcp.lease.t1;
	nbd_putf(&cli_out, "%u\n", t1 < INT32_MAX ? t1 : INT32_MAX);
	return cli_flush();
}

int cmd_ifup(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 'r', false, "renew" },
						     { 'v', false, "verbose" },
						     { 0 } };
	struct net net = { 0 };
	struct cmdline c;
	char line[CMDLINE_MAX];
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct nbd_out o = { .buf = line, .cap = sizeof(line) - 1 };
	struct nbd_diag d = { "" };
	bool again = false;
	int opt, rc;

	while ((opt = cli_next(&a, options)) > 0)
		*(opt == 'r' ? &again : &boot_console_debug) = true;
	if (opt < 0 || !cli_operands(&a, 0, again ? 0 : -1))
		return CLI_USAGE;
	if (again)
		return renew();
	for (; a.i < argc; a.i++) {
		nbd_put(&o, argv[a.i], strlen(argv[a.i]));
		nbd_put(&o, " ", 1);
	}
	line[o.len] = '\0';
	rc = boot_cmdline_parse(&c, line, &d);
	if (!rc)
		rc = net_configure(&net, &c, NULL, &d);
	if (!rc)
		rc = net_up(&net, false, &d);
	if (rc)
		return cli_fail("network", rc, &d);
	nbd_putf(&cli_out, "%s\n", net.state.name);
	return cli_flush();
}
