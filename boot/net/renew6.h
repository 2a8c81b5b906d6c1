/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lease of DHCPv6 after the boot: renew.c and renewd.c call this for a lease
 * that is not of DHCPv4, and the shutdown gives it back.  nolease6.c and
 * norelease6.c are in place of it in a build without BOOT_LEASE6.
 */
#ifndef BOOT_NET_RENEW6_H
#define BOOT_NET_RENEW6_H

#include "boot/net/kept.h"
#include "boot/net/renew.h"

/*
 * As net_renew_once(), with r->j.lease6.  After r->resumed and before T1 it asks
 * whether the address still belongs to the link.  A failure is no reason to
 * call it again before net_renew6_pause() is over.
 */
int net_renew6_once(struct net_renewal *r, unsigned timeout_ms,
		    struct nbd_diag *d);

/* Milliseconds from now until net_renew6_once() has something to do. */
uint64_t net_renew6_pause(const struct lease6 *lease6, bool failed,
			  uint64_t now);

/* Is there a lease of DHCPv6 to give back?  Call it while /run is there. */
bool net_renew6_kept(struct net_kept *kept);

/*
 * Gives the lease back when the root is no longer used, and waits for the
 * server for at most 2 s.
 */
void net_renew6_release(const struct net_kept *kept);

#endif
