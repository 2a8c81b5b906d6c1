/* SPDX-License-Identifier: BSD-2-Clause */
/* A stack whose address its program gives. */
#include "port/lwip/lwip.h"

const unsigned lwnet_dhcp_grace_ms = 0;

void lwnet_dhcp_begin(struct lwnet *net, const char *hostname)
{
	(void)net, (void)hostname;
}

void lwnet_dhcp_end(struct lwnet *net)
{
	(void)net;
}
