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

/* Has the job to wait for more than its address?  Updates j->due. */
bool net_job6_waits(struct job *j, const struct net_plan *p, uint64_t now);

/* As net_job_address(); true: it is one that the job waits for. */
bool net_job6_address(struct job *j, const struct iface_addr *a);

/* jobsock.c, for both clients of DHCPv6: the socket, and a message to all servers. */
bool net_job6_open(struct job *j);
void net_job6_send(const struct job *j, const void *p, size_t len);

/* Call this when the job is done: reports a server that did not answer. */
void net_job6_end(const struct job *j, const struct net_plan *p);

/* What the server said, or zeros. */
const struct dhcp6_reply *net_job6_config(const struct job *j);

/* Adds it. */
void net_job6_state(const struct job *j, const struct net_plan *p,
		    struct net_state *s);

#endif
