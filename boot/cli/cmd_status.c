/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot status: which connections live, with the figures of the kernel's TCP.
 * `list --json` prints the same.
 */
#include "boot/cli/cli.h"
#include "boot/device/device.h"

#include <string.h>

static void print_link(const struct sockdiag_link *l)
{
	struct device_tls_words w;

	cli_putf("  %-6s", l->live ? "live" : "ending");
	if (l->family == AF_UNIX) {
		cli_putf("UNIX socket\n");
		return;
	}
	nbd_put_ip(&cli_out, l->peer, l->family == AF_INET ? 4 : 16);
	cli_putf(" port %u from port %u, sent ", l->peer_port, l->local_port);
	cli_put_size(l->sent);
	cli_putf(", received ");
	cli_put_size(l->received);
	cli_putf(", RTT %u.%02u ms, %u retransmitted", l->rtt / 1000,
		 l->rtt % 1000 / 10, l->retransmits);
	if (device_tls_words(&l->tls, &w))
		cli_putf(", %s %s", w.version, w.cipher);
	cli_putf("\n");
}

/* d: why its connections could not be counted */
static void print_device(const struct device *dev, const struct nbd_diag *d)
{
	unsigned slots = device_backend_slots(&dev->b);

	cli_putf("nbd%d: ", dev->info.index);
	if (!dev->counted) {
		const char *why = dev->known ? d->text
					     : "connected by another program";

		nbd_put(&cli_out, why, strlen(why));
		cli_putf("\n");
		return;
	}
	cli_putf("%s%u live, %u dead, %u wanted\n",
		 dev->live ? "" : "DEAD: ", dev->live,
		 slots > dev->live ? slots - dev->live : 0, dev->wanted);
	for (unsigned i = 0; i < dev->n_links; i++)
		print_link(&dev->links[i]);
}

static int run(struct cli_call *call)
{
	struct device dev = { 0 };
	struct nbdk_iter it = { 0 };
	struct nbd_diag *d = &call->d;
	int index, status = CLI_OK;

	if (!call->words[0])
		while ((index = nbdk_next(&it)) >= 0)
			if (device_read(&dev, index, d) != NBD_E_NO_DEVICE)
				print_device(&dev, d);
	for (char **word = call->words; *word; word++) {
		int err = device_read(&dev, nbdk_parse_name(*word), d);

		if (err == NBD_E_NO_DEVICE)
			status = cli_fail(*word, err, d);
		else
			print_device(&dev, d);
	}
	return status;
}

const struct command cmd_status = {
	.name = "status",
	.summary = "show the connections of devices (of all), and which live",
	.operands = { 0, CLI_ANY, { "nbdN" } },
	.devices = true,
	.run = run,
};
