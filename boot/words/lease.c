/* SPDX-License-Identifier: BSD-2-Clause */
/* Leases: from ip=, from PXE and HTTP boot, to the kernel's words. */
#include "boot/words/lease.h"

#include <string.h>

#include "boot/words/option6.h"
#include "port/le.h"

#define XID 4 /* its place in a DHCP message */

/* Nodes of a device path, and places in them. */
#define NODE_IP4     0x030cu
#define NODE_IP6     0x030du
#define NODE_DNS     0x031fu
#define IP4_ADDR     4
#define IP4_ROUTER   19
#define IP4_MASK     23
#define IP4_LEN	     27
#define IP6_ADDR     4
#define IP6_PREFIX   43
#define IP6_ROUTER   44
#define IP6_LEN	     60
#define DNS_IS_IP6   4
#define DNS_FIRST    5
#define DNS_ADDR_LEN 16

bool boot_lease_static(struct dhcp_lease *l, const struct ip_config *ip)
{
	memset(l, 0, sizeof(*l));
	if (ip->client.len != 4)
		return false;
	l->addr = ip->client;
	if (ip->gateway.len == 4)
		l->router = ip->gateway;
	if (ip->peer.len == 4)
		l->server = l->next = ip->peer;
	l->mtu = (uint16_t)ip->mtu;
	for (unsigned i = 0; i < IP_DNS; i++)
		if (ip->dns[i].len == 4)
			l->dns[l->n_dns++] = ip->dns[i];
	nbd_fmt(l->host, sizeof(l->host), "%s", ip->host);
	return true;
}

bool boot_lease_packet(struct dhcp_lease *l, const uint8_t *p, size_t len,
		       const uint8_t mac[6])
{
	uint32_t xid = len < XID + 4 ? 0 : be32(p + XID);

	return boot_dhcp_parse(p, len, xid, mac, l) == DHCP_ACK;
}

static void take_dns(struct dhcp_lease *l, const uint8_t *node, size_t len)
{
	if (len <= DNS_FIRST || node[DNS_IS_IP6])
		return;
	for (size_t at = DNS_FIRST; at + DNS_ADDR_LEN <= len && l->n_dns < 3;
	     at += DNS_ADDR_LEN)
		l->dns[l->n_dns++] = nbd_ip_of(node + at, 4);
}

const uint8_t *boot_lease_node(const uint8_t *p, size_t len, unsigned type,
			       size_t *n)
{
	for (; len >= 4; p += *n, len -= *n) {
		*n = le16(p + 2);
		if (*n < 4 || *n > len)
			return NULL;
		if (type == be16(p))
			return p;
	}
	return NULL;
}

bool boot_lease_path(struct dhcp_lease *l, const uint8_t *p, size_t len)
{
	size_t n, dns_len;
	const uint8_t *ip = boot_lease_node(p, len, NODE_IP4, &n);
	const uint8_t *dns = boot_lease_node(p, len, NODE_DNS, &dns_len);
	int prefix;

	memset(l, 0, sizeof(*l));
	if (!ip || n < IP4_LEN)
		return false;
	prefix = nbd_ip_mask(ip + IP4_MASK);
	l->addr = nbd_ip_of(ip + IP4_ADDR, 4);
	l->addr.prefix = (uint8_t)prefix;
	l->router = nbd_ip_nonzero(ip + IP4_ROUTER, 4);
	if (dns)
		take_dns(l, dns, dns_len);
	if (!l->addr.ip[0] || prefix <= 0)
		l->addr.len = 0;
	return l->addr.len;
}

/* ---- IPv6 ---- */

/* Zeros are no address. */
static void take6(struct nbd_ip *to, const uint8_t ip[16])
{
	*to = nbd_ip_nonzero(ip, 16);
	/* the firmware takes so many bits for the link's */
	to->prefix = 64;
}

/* The name servers in len bytes. */
static void take_dns6(struct ip_config *ip, const uint8_t *p, size_t len)
{
	for (unsigned i = 0; i < IP_DNS && len >= 16; i++, len -= 16)
		take6(&ip->dns[i], p + 16 * i);
}

const uint8_t *boot_lease_option6(const uint8_t *p, size_t len, unsigned code,
				  size_t *n)
{
	const uint8_t *end = p + len;

	for (p += 4; end - p >= 4; p += *n) {
		unsigned this = be16(p);

		*n = be16(p + 2);
		p += 4;
		if (*n > (size_t)(end - p))
			break;
		if (this == code)
			return p;
	}
	return NULL;
}

void boot_lease_packet6(struct ip_config *ip, const uint8_t addr[16],
			const uint8_t *p, size_t len)
{
	size_t n;
	const uint8_t *dns = boot_lease_option6(p, len, DNS, &n);

	take6(&ip->client, addr);
	if (dns)
		take_dns6(ip, dns, n);
}

bool boot_lease_path6(struct ip_config *ip, const uint8_t *p, size_t len)
{
	size_t n, dns_len;
	const uint8_t *node = boot_lease_node(p, len, NODE_IP6, &n);
	const uint8_t *dns = boot_lease_node(p, len, NODE_DNS, &dns_len);

	if (!node || n < IP6_LEN)
		return false;
	take6(&ip->client, node + IP6_ADDR);
	if (node[IP6_PREFIX] && node[IP6_PREFIX] <= 128)
		ip->client.prefix = node[IP6_PREFIX];
	take6(&ip->gateway, node + IP6_ROUTER);
	if (dns && dns_len > DNS_FIRST && dns[DNS_IS_IP6])
		take_dns6(ip, dns + DNS_FIRST, dns_len - DNS_FIRST);
	return ip->client.len;
}

/* ---- words ---- */

static void put_addr(struct nbd_out *o, const struct nbd_ip *addr)
{
	if (addr->len)
		nbd_put_ip(o, addr->ip, addr->len);
	nbd_put(o, ":", 1);
}

static void put_ip4(struct nbd_out *o, const struct dhcp_lease *l)
{
	uint8_t mask[4];

	nbd_ip_to_mask(l->addr.prefix, mask);
	put_addr(o, &l->addr);
	nbd_put(o, ":", 1);
	put_addr(o, &l->router);
	nbd_put_ip(o, mask, 4);
	nbd_putf(o, ":%s::off", l->host);
	for (unsigned i = 0; i < l->n_dns && i < 2; i++) {
		nbd_put(o, ":", 1);
		nbd_put_ip(o, l->dns[i].ip, 4);
	}
}

void boot_lease_put(struct nbd_out *o, const struct dhcp_lease *l,
		    const char *none)
{
	nbd_putf(o, " ip=");
	if (l->addr.len)
		put_ip4(o, l);
	else
		nbd_putf(o, "%s", none);
}

void boot_lease_bootif(struct nbd_out *o, const uint8_t mac[6])
{
	nbd_putf(o, " BOOTIF=01-%02x-%02x-%02x-%02x-%02x-%02x", mac[0], mac[1],
		 mac[2], mac[3], mac[4], mac[5]);
}
