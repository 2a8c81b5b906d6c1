/* SPDX-License-Identifier: BSD-2-Clause */
/* The lease of lwIP's DHCP client. */
#include "port/lwip/lwip.h"

#include <lwip/dhcp.h>

/* IPv6 alone is enough only after a while. */
const unsigned lwnet_dhcp_grace_ms = 3000;

void lwnet_dhcp_begin(struct lwnet *net, const char *hostname)
{
	netif_set_hostname(&net->netif, hostname);
	dhcp_start(&net->netif);
}

void lwnet_dhcp_end(struct lwnet *net)
{
	dhcp_release_and_stop(&net->netif);
	dhcp_cleanup(&net->netif);
}
