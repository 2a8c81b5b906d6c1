/* SPDX-License-Identifier: BSD-2-Clause */
/* What lwIP takes of ours. */
#ifndef PORT_LWIP_HOOKS_H
#define PORT_LWIP_HOOKS_H

#include "port/stack.h"

#include <stdint.h>

/* From the seed of the stack (lwip.h), 0 before there is one. */
uint32_t lwnet_random(void);

/*
 * The sum of RFC 1071, before it is inverted, of 0 to 65,535 bytes.  It is in
 * the order of memory: store it as it is.
 */
uint16_t lwnet_checksum(const void *data, int len);

/* ip6.c: where packets to an address of IPv6 go; NULL: to a router. */
struct ip6_addr;
struct netif;
const struct ip6_addr *lwnet_ip6_gateway(struct netif *netif,
					 const struct ip6_addr *to);

#endif
