/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Name servers in router advertisements (RDNSS, RFC 8106, 5.1).  The kernel
 * itself sets the advertised addresses.
 */
#ifndef BOOT_NET_RA_H
#define BOOT_NET_RA_H

#include "port/linux/link.h"

/*
 * Parses the body of the kernel's RTM_NEWNDUSEROPT (struct nduseroptmsg and the
 * options).  Adds the name servers of the interface `index` to dns[0] to dns[n
 * - 1], unless they are there already, up to max.  Returns the new n.
 */
unsigned net_ra_dns(const unsigned char *p, size_t len, int index,
		    struct link_addr dns[], unsigned n, unsigned max);

/*
 * Asks the routers on the link to advertise now; the interface needs its
 * link-local address.  The kernel asks too, but an answer that came before we
 * listened does not come again.
 */
void net_ra_solicit(int index);

#endif
