/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints connections, as text and as JSON. */
#include "boot/cli/show.h"

#include <sys/socket.h>

void cli_put_link(const struct sockdiag_link *l)
{
	struct device_tls_words w;

	cli_putf("  %-6s", l->live ? "live" : "ending");
	if (l->family == AF_UNIX) {
		cli_putf("UNIX socket\n");
		return;
	}
	nbd_put_ip(&cli_out, l->peer.ip, l->peer.len);
	cli_putf(" port %u from port %u, sent ", l->peer_port, l->local_port);
	cli_put_size(l->sent);
	cli_putf(", received ");
	cli_put_size(l->received);
	cli_putf(", RTT %u.%02u ms (minimum %u.%02u), %u retransmitted",
		 l->rtt / 1000, l->rtt % 1000 / 10, l->min_rtt / 1000,
		 l->min_rtt % 1000 / 10, l->retransmits);
	if (device_tls_words(&l->tls, &w))
		cli_putf(", %s %s", w.version, w.cipher);
	cli_putf("\n");
}

static void put_json_tcp(const struct sockdiag_link *l)
{
	cli_putf(", \"peer\": \"");
	nbd_put_ip(&cli_out, l->peer.ip, l->peer.len);
	cli_putf("\", \"port\": %u, \"local_port\": %u, \"sent\": %llu, "
		 "\"received\": %llu, \"rtt_us\": %u, \"min_rtt_us\": %u, "
		 "\"retransmits\": %u",
		 l->peer_port, l->local_port, (unsigned long long)l->sent,
		 (unsigned long long)l->received, l->rtt, l->min_rtt,
		 l->retransmits);
}

void cli_put_json_links(const struct device *dev)
{
	cli_putf(", \"links\": [");
	for (unsigned i = 0; i < dev->n_links; i++) {
		const struct sockdiag_link *l = &dev->links[i];

		cli_putf("%s{\"state\": \"%s\"", i ? ", " : "",
			 l->live ? "live" : "ending");
		if (l->family != AF_UNIX)
			put_json_tcp(l);
		cli_putf("}");
	}
	cli_putf("]");
}
