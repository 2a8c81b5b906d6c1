/* SPDX-License-Identifier: BSD-2-Clause */
/* IPv6: the addresses that routers announce, and those of servers. */
#include "port/lwip/lwip.h"

#include <lwip/ethip6.h>
#include <lwip/ip6_frag.h>
#include <string.h>

void lwnet_ip6_add(struct netif *netif)
{
	netif->output_ip6 = ethip6_output;
	netif->flags |= NETIF_FLAG_MLD6;
}

void lwnet_ip6_begin(struct lwnet *net)
{
	netif_create_ip6_linklocal_address(&net->netif, 1);
	netif_set_ip6_autoconfig_enabled(&net->netif, 1);
}

bool lwnet_ip6(const struct lwnet *net, unsigned char ip[16])
{
	for (s8_t i = 1; i < LWIP_IPV6_NUM_ADDRESSES; i++) {
		if (!ip6_addr_ispreferred(netif_ip6_addr_state(&net->netif, i)))
			continue;
		memcpy(ip, netif_ip6_addr(&net->netif, i)->addr, 16);
		return true;
	}
	return false;
}

bool lwnet_ip6_take(ip_addr_t *ip, const struct sock_addr *a)
{
	if (a->len != 16)
		return false;
	IP_SET_TYPE_VAL(*ip, IPADDR_TYPE_V6);
	memcpy(ip_2_ip6(ip)->addr, a->ip, 16);
	ip6_addr_assign_zone(ip_2_ip6(ip), IP6_UNICAST, netif_default);
	return true;
}

bool lwnet_ip6_parse(const char *host, struct sock_addr *a)
{
	char text[64];
	size_t len = strcspn(host, "%");
	ip6_addr_t ip;

	if (len >= sizeof(text))
		return false;
	memcpy(text, host, len);
	text[len] = '\0';
	if (!ip6addr_aton(text, &ip))
		return false;
	a->len = 16;
	memcpy(a->ip, ip.addr, 16);
	return true;
}

void lwnet_ip6_drop(void)
{
	for (unsigned i = 0; i <= IPV6_REASS_MAXAGE; i++)
		ip6_reass_tmr();
}
