/* SPDX-License-Identifier: BSD-2-Clause */
/* A stack of IPv4 alone. */
#include "port/lwip/lwip.h"

void lwnet_ip6_add(struct netif *netif)
{
	(void)netif;
}

void lwnet_ip6_begin(struct lwnet *net, const struct lwnet_by_hand *by_hand)
{
	(void)net, (void)by_hand;
}

struct nbd_ip lwnet_ip6(const struct lwnet *net)
{
	(void)net;
	return (struct nbd_ip){ 0 };
}

bool lwnet_ip6_taken(const struct lwnet *net)
{
	(void)net;
	return false;
}

bool lwnet_ip6_take(ip_addr_t *ip, const struct sock_addr *a)
{
	(void)ip, (void)a;
	return false;
}

bool lwnet_ip6_source(const struct lwnet *net, const struct sock_addr *a,
		      unsigned char own[16])
{
	(void)net, (void)a, (void)own;
	return false;
}

void lwnet_ip6_drop(void)
{
}
