/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a job with router advertisements learns from stateless DHCPv6: DNS
 * servers, a domain, and the root-path.
 *
 *	router says that DHCPv6 has more, or something is missing --> asks
 *	    --> a reply --> done
 *	    '-- 5 s --> goes on without, and still asks for what the boot needs
 */
#ifndef BOOT_NET_JOB6_H
#define BOOT_NET_JOB6_H

#include "boot/net/job.h"

/* Takes every step that is possible now, and updates j->due. */
void net_job6_work(struct job *j, const struct net_plan *p, uint64_t now);

/* Has the job to wait for more than its address? */
bool net_job6_waits(const struct job *j, const struct net_plan *p,
		    uint64_t now);

/* Call this when the job is done: reports a server that did not answer. */
void net_job6_end(const struct job *j, const struct net_plan *p);

/* Adds what the server said. */
void net_job6_state(const struct job *j, const struct net_plan *p,
		    struct net_state *s);

#endif
