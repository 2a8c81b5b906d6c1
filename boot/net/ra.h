/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a router advertises beside the addresses, which the kernel takes by
 * itself: name servers (RDNSS, RFC 8106, 5.1).
 */
#ifndef BOOT_NET_RA_H
#define BOOT_NET_RA_H

#include "port/linux/link.h"

/*
 * Reads the body of the kernel's RTM_NEWNDUSEROPT (struct nduseroptmsg and the
 * options); adds the name servers of the interface `index` that are not in
 * dns[] yet, up to max.  Returns how many there are then.
 */
unsigned net_ra_dns(const unsigned char *p, size_t len, int index,
		    struct link_addr dns[], unsigned n, unsigned max);

/*
 * Asks the routers on the link to advertise now; the interface needs its
 * link-local address.  The kernel asks too, but what was told before we
 * listened is not told again.
 */
void net_ra_solicit(int index);

#endif
