/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The name servers that DHCP and routers announce, in place of lwIP's dns.c: its
 * resolver keeps one address of a name, and ours (resolve.c) each.
 */
#include "port/lwip/lwip.h"

#include <lwip/dns.h>

static ip_addr_t servers[DNS_MAX_SERVERS];

void dns_init(void)
{
}

/* lwIP's timers call this. */
void dns_tmr(void)
{
}

/* addr NULL: none. */
void dns_setserver(u8_t n, const ip_addr_t *addr)
{
	if (n < DNS_MAX_SERVERS)
		servers[n] = addr ? *addr : *IP_ADDR_ANY;
}

const ip_addr_t *dns_getserver(u8_t n)
{
	return n < DNS_MAX_SERVERS ? &servers[n] : IP_ADDR_ANY;
}
