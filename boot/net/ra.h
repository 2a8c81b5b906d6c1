/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Name servers and domains (RFC 8106, 5.1 and 5.2) and flags (RFC 4861, 4.2) of
 * router advertisements.  The kernel itself sets the advertised addresses.
 */
#ifndef BOOT_NET_RA_H
#define BOOT_NET_RA_H

#include "boot/words/domains.h"
#include "port/linux/iface.h"

/*
 * Parses the body of the kernel's RTM_NEWNDUSEROPT (struct nduseroptmsg and the
 * options).  Adds the name servers of the interface `index` to dns[0] to dns[n
 * - 1], unless they are there already, up to max.  Returns the new n.
 */
unsigned net_ra_dns(const unsigned char *p, size_t len, int index,
		    struct nbd_ip dns[], unsigned n, unsigned max);

/*
 * Adds the domains to search there to `to`, each once.  False: some were left
 * out, see boot_domains_read().
 */
bool net_ra_domains(const unsigned char *p, size_t len, int index,
		    char to[BOOT_DOMAINS]);

/* Flags of the latest advertisement: the kernel's IF_RA_*. */
#define NET_RA_MANAGED 0x40 /* M: addresses by DHCPv6 */
#define NET_RA_OTHER   0x80 /* O: other configuration by DHCPv6 */
#define NET_RA_DHCP6   (NET_RA_MANAGED | NET_RA_OTHER)
#define NET_RA_SEEN    0x20 /* not a flag of it: there was one */

/*
 * Parses the kernel's RTM_NEWLINK for AF_INET6.  Returns the index of the
 * interface, and its flags in *flags; 0: malformed, or without flags.
 */
int net_ra_flags(const unsigned char *p, size_t len, unsigned *flags);

/* Calls fn for each interface that has IPv6. */
int net_ra_each(void (*fn)(void *ctx, int index, unsigned flags), void *ctx,
		struct nbd_diag *d);

/*
 * Asks the routers on the link to advertise now; the interface needs its
 * link-local address.  The kernel asks too, but an answer that came before we
 * listened does not come again.
 */
void net_ra_solicit(int index);

#endif
