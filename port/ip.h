/* SPDX-License-Identifier: BSD-2-Clause */
/* An address of IPv4 or IPv6, in all worlds. */
#ifndef NBD_IP_H
#define NBD_IP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nbd_ip {
	uint8_t len;	      /* bytes of ip: 4 or 16; 0: there is no address */
	uint8_t prefix;	      /* bits that its network has in common */
	unsigned char ip[16]; /* network order, and zeros behind */
};

/* The address of len bytes, 4 or 16, of a single host. */
struct nbd_ip nbd_ip_of(const void *ip, unsigned len);
/* The same, but zeros are no address. */
struct nbd_ip nbd_ip_nonzero(const void *ip, unsigned len);

/*
 * Reads "192.0.2.1", "2001:db8::1", "64:ff9b::192.0.2.1" (RFC 4291, 2.2) as
 * inet_pton(3) does, with the prefix of a single host.  False: it is no address,
 * and *addr has none.
 */
bool nbd_ip_parse(struct nbd_ip *addr, const char *text);
/* The same of the host in a URI: behind IPv6, "%" and an interface is skipped. */
bool nbd_ip_host(struct nbd_ip *addr, const char *host);

/* Bits of an address of addr's kind. */
static inline unsigned nbd_ip_bits(const struct nbd_ip *addr)
{
	return addr->len * 8u;
}

/* Is it in fe80::/10?  Such an address is useless without its interface. */
bool nbd_ip_link_local(const struct nbd_ip *addr);

/* Are the addresses equal, whatever their prefixes? */
bool nbd_ip_same(const struct nbd_ip *a, const struct nbd_ip *b);

/* Is ip, of addr's kind, in the network of addr? */
bool nbd_ip_covers(const struct nbd_ip *addr, const unsigned char *ip);

/*
 * Adds addr to list[0] to list[n - 1], unless it is there already, is none, or
 * n is max.  Returns the new n.
 */
unsigned nbd_ip_add(struct nbd_ip list[], unsigned n, unsigned max,
		    const struct nbd_ip *addr);

/* The prefix length of a contiguous IPv4 mask; -1 for any other. */
int nbd_ip_mask(const unsigned char mask[4]);

/* And the other way: the mask of a prefix length of at most 32. */
void nbd_ip_to_mask(unsigned prefix, unsigned char mask[4]);

/* The last address of the network of addr, which is of IPv4: for broadcasts. */
void nbd_ip_last(const struct nbd_ip *addr, unsigned char last[4]);

/* ---- between the files of nbd_ip_parse() ---- */

bool nbd_ip_read4(const char *text, unsigned char ip[4]);
/* ip6.c or noip6.c */
bool nbd_ip_read6(const char *text, unsigned char ip[16]);

#endif
