/* SPDX-License-Identifier: BSD-2-Clause */
/* IPv6: addresses that routers announce, by hand, and those of servers. */
#include "port/lwip/lwip.h"

#include <lwip/ethip6.h>
#include <lwip/ip6_frag.h>
#include <string.h>

void lwnet_ip6_add(struct netif *netif)
{
	netif->output_ip6 = ethip6_output;
	netif->flags |= NETIF_FLAG_MLD6;
}

static void set_ip6(ip_addr_t *to, const unsigned char ip[16])
{
	memset(to, 0, sizeof(*to));
	IP_SET_TYPE_VAL(*to, IPADDR_TYPE_V6);
	memcpy(ip_2_ip6(to)->addr, ip, 16);
	ip6_addr_assign_zone(ip_2_ip6(to), IP6_UNICAST, netif_default);
}

/*
 * lwIP takes the first 64 bits of a "static" address for the prefix of the link
 * (nd6.c), which it need not be.  One that is valid for ever is not static, and
 * lwnet_ip6_gateway() knows the prefix.
 */
static void add_by_hand(struct lwnet *net, const struct lwnet_by_hand *by_hand)
{
	struct netif *netif = &net->netif;
	ip_addr_t ip;
	s8_t i;

	net->ip6 = by_hand->ip;
	set_ip6(&net->router6, by_hand->router.ip);
	for (unsigned n = 0; n < LWNET_DNS; n++) {
		set_ip6(&ip, by_hand->dns[n].ip);
		lwnet_name_server_set(n, &ip);
	}
	set_ip6(&ip, by_hand->ip.ip);
	if (netif_add_ip6_address(netif, ip_2_ip6(&ip), &i) != ERR_OK)
		return;
	netif_ip6_addr_set_valid_life(netif, i, IP6_ADDR_LIFE_INFINITE);
	netif_ip6_addr_set_pref_life(netif, i, IP6_ADDR_LIFE_INFINITE);
}

void lwnet_ip6_begin(struct lwnet *net, const struct lwnet_by_hand *by_hand)
{
	netif_create_ip6_linklocal_address(&net->netif, 1);
	netif_set_ip6_autoconfig_enabled(&net->netif, 1);
	if (by_hand->ip.len)
		add_by_hand(net, by_hand);
}

/*
 * lwIP asks only for neighbours that share 64 bits with it: with a shorter
 * prefix the others are behind the router.
 */
static bool is_on_link(struct nbd_ip addr, const void *to)
{
	if (addr.prefix < 64)
		addr.prefix = 64;
	return addr.len && nbd_ip_covers(&addr, to);
}

/* lwIP asks for what no advertisement says is on the link. */
const ip6_addr_t *lwnet_ip6_gateway(struct netif *netif, const ip6_addr_t *to)
{
	const struct lwnet *net = netif->state;

	if (is_on_link(net->ip6, to->addr))
		return to;
	return net->ip6.len && !ip_addr_isany(&net->router6)
		       ? ip_2_ip6(&net->router6)
		       : NULL;
}

struct nbd_ip lwnet_ip6(const struct lwnet *net)
{
	for (s8_t i = 1; i < LWIP_IPV6_NUM_ADDRESSES; i++) {
		if (!ip6_addr_ispreferred(netif_ip6_addr_state(&net->netif, i)))
			continue;
		return nbd_ip_of(netif_ip6_addr(&net->netif, i)->addr, 16);
	}
	return (struct nbd_ip){ 0 };
}

bool lwnet_ip6_taken(const struct lwnet *net)
{
	for (s8_t i = 1; i < LWIP_IPV6_NUM_ADDRESSES; i++)
		if (ip6_addr_isduplicated(
			    netif_ip6_addr_state(&net->netif, i)) &&
		    !memcmp(netif_ip6_addr(&net->netif, i)->addr, net->ip6.ip,
			    16))
			return true;
	return false;
}

bool lwnet_ip6_take(ip_addr_t *ip, const struct sock_addr *a)
{
	if (a->host.len != 16)
		return false;
	set_ip6(ip, a->host.ip);
	return true;
}

/* An address of the link alone leads nowhere else. */
bool lwnet_ip6_source(const struct lwnet *net, const struct sock_addr *a,
		      unsigned char own[16])
{
	const ip_addr_t *from;
	ip_addr_t to;

	set_ip6(&to, a->host.ip);
	from = ip6_select_source_address((struct netif *)&net->netif,
					 ip_2_ip6(&to));
	if (!from || (ip6_addr_islinklocal(ip_2_ip6(from)) &&
		      !ip6_addr_islinklocal(ip_2_ip6(&to))))
		return false;
	memcpy(own, ip_2_ip6(from)->addr, 16);
	return true;
}

void lwnet_ip6_drop(void)
{
	for (unsigned i = 0; i <= IPV6_REASS_MAXAGE; i++)
		ip6_reass_tmr();
}
