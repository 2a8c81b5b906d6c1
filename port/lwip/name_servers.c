/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The name servers that DHCP and routers announce, in place of lwIP's dns.c: its
 * resolver keeps one address of a name, and ours (resolve.c) each.
 */
#include "port/lwip/lwip.h"

#include <lwip/dns.h>

/* The program's own, then those that lwIP numbers from 0. */
#define SERVERS (LWNET_DNS + DNS_MAX_SERVERS)
static ip_addr_t servers[SERVERS];

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
		servers[LWNET_DNS + n] = addr ? *addr : *IP_ADDR_ANY;
}

const ip_addr_t *dns_getserver(u8_t n)
{
	return n < DNS_MAX_SERVERS ? &servers[LWNET_DNS + n] : IP_ADDR_ANY;
}

void lwnet_name_server_set(unsigned n, const ip_addr_t *ip)
{
	servers[n] = *ip;
}

bool lwnet_name_server_next(ip_addr_t *to, unsigned *k)
{
	for (unsigned n = 0; n < SERVERS; n++) {
		const ip_addr_t *s = &servers[*k];

		*k = (*k + 1) % SERVERS;
		if (ip_addr_isany(s))
			continue;
		*to = *s;
		return true;
	}
	return false;
}
