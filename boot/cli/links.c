/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot status: which connections live, and what the kernel's TCP knows of
 * them.  The JSON of `list` has the same.
 */
#include "boot/cli/links.h"

#include <string.h>

static void put_address(const struct sockdiag_link *l)
{
	nbd_put_ip(&cli_out, l->peer, l->family == AF_INET ? 4 : 16);
}

void cli_links_print_json(const struct device *dev)
{
	if (!dev->known || !dev->counted)
		return;
	nbd_putf(&cli_out,
		 dev->b.dead_timeout < 0 ? ", \"dead_timeout\": null"
					 : ", \"dead_timeout\": %d",
		 dev->b.dead_timeout);
	nbd_putf(&cli_out,
		 ", \"wanted\": %u, \"slots\": %u, \"live\": %u, "
		 "\"links\": [",
		 dev->wanted, device_backend_slots(&dev->b), dev->live);
	for (unsigned i = 0; i < dev->n_links; i++) {
		const struct sockdiag_link *l = &dev->links[i];

		nbd_putf(&cli_out, "%s{\"state\": \"%s\"", i ? ", " : "",
			 l->live ? "live" : "ending");
		if (l->family != AF_UNIX) {
			nbd_putf(&cli_out, ", \"peer\": \"");
			put_address(l);
			nbd_putf(&cli_out,
				 "\", \"port\": %u, \"local_port\": %u, "
				 "\"sent\": %llu, \"received\": %llu, "
				 "\"rtt_us\": %u, \"retransmits\": %u",
				 l->peer_port, l->local_port,
				 (unsigned long long)l->sent,
				 (unsigned long long)l->received, l->rtt,
				 l->retransmits);
		}
		nbd_putf(&cli_out, "}");
	}
	nbd_putf(&cli_out, "]");
}

static void print_link(const struct sockdiag_link *l)
{
	struct device_tls_words w;

	nbd_putf(&cli_out, "  %-6s", l->live ? "live" : "ending");
	if (l->family == AF_UNIX) {
		nbd_putf(&cli_out, "UNIX socket\n");
		return;
	}
	put_address(l);
	nbd_putf(&cli_out, " port %u from port %u, sent ", l->peer_port,
		 l->local_port);
	cli_put_size(l->sent);
	nbd_putf(&cli_out, ", received ");
	cli_put_size(l->received);
	nbd_putf(&cli_out, ", RTT %u.%02u ms, %u retransmitted", l->rtt / 1000,
		 l->rtt % 1000 / 10, l->retransmits);
	if (device_tls_words(&l->tls, &w))
		nbd_putf(&cli_out, ", %s %s", w.version, w.cipher);
	nbd_putf(&cli_out, "\n");
}

/* d: why its connections could not be counted */
static void print_device(const struct device *dev, const struct nbd_diag *d)
{
	unsigned slots = device_backend_slots(&dev->b);

	nbd_putf(&cli_out, "nbd%d: ", dev->info.index);
	if (!dev->counted) {
		const char *why = dev->known ? d->text
					     : "connected by another program";

		nbd_put(&cli_out, why, strlen(why));
		nbd_putf(&cli_out, "\n");
		return;
	}
	nbd_putf(&cli_out, "%s%u live, %u dead, %u wanted\n",
		 dev->live ? "" : "DEAD: ", dev->live,
		 slots > dev->live ? slots - dev->live : 0, dev->wanted);
	for (unsigned i = 0; i < dev->n_links; i++)
		print_link(&dev->links[i]);
}

int cmd_status(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 0 } };
	static struct device dev;
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct nbdk_iter it = { 0 };
	struct nbd_diag d = { "" };
	int index, status = CLI_OK, flushed;

	if (cli_next(&a, options) < 0)
		return CLI_USAGE;
	for (; a.i < argc; a.i++) {
		index = nbdk_parse_name(argv[a.i]);
		if (index < 0)
			return cli_no_device(argv[0], argv[a.i]);
		index = device_read(&dev, index, &d);
		if (index == NBD_E_NO_DEVICE)
			status = cli_fail(argv[a.i], index, &d);
		else
			print_device(&dev, &d);
	}
	if (argc == 1)
		while ((index = nbdk_next(&it)) >= 0)
			if (device_read(&dev, index, &d) != NBD_E_NO_DEVICE)
				print_device(&dev, &d);
	flushed = cli_flush();
	return flushed ? flushed : status;
}
