/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A job whose address comes from DHCPv6: ip=dhcp6, or ip=auto6 where a router
 * says so (flag M) and advertises no prefix for addresses.
 *
 *	link-local address --> asks --> lease --> the kernel probes it --> done
 *	                         ^------ another machine has it ---'
 *
 * nolease6.c is in place of it in a build without BOOT_LEASE6.
 */
#ifndef BOOT_NET_JOBLEASE6_H
#define BOOT_NET_JOBLEASE6_H

#include "boot/net/job.h"

/* Is there an address of DHCPv6, whether the interface has it yet or not? */
static inline bool net_joblease6_has(const struct job *j)
{
	return j->lease6.state == LEASE6_BOUND && net_lease6_begun(&j->lease6);
}

/* Is the address to come from DHCPv6, as far as is known now? */
bool net_joblease6_wants(const struct job *j);

/* Takes every step that is possible now, and updates j->due. */
void net_joblease6_work(struct job *j, const struct net_plan *p, uint64_t now);

/* Is it the address of the lease?  Notes that another machine has it. */
bool net_joblease6_ours(struct job *j, const struct iface_addr *a);

/*
 * With its address, does the job wait for a router?  Without one the address
 * reaches nobody (RFC 5942).  Updates j->due.
 */
bool net_joblease6_waits(struct job *j, uint64_t now);

/* Why there is no address, if DHCPv6 was asked; false: it was not. */
bool net_joblease6_explain(const struct job *j, struct nbd_diag *d);

#endif
