/* SPDX-License-Identifier: BSD-2-Clause */
/* One ip= on one interface: from its link to its address and its routes. */
#ifndef BOOT_NET_JOB_H
#define BOOT_NET_JOB_H

#include "boot/net/dhcp.h"
#include "boot/net/net.h"
#include "boot/net/plan.h"

/* In the order of how much there is to tell of it. */
enum net_job_state { JOB_WAITING, JOB_FAILED, JOB_DONE };

struct job {
	const struct ip_config *ip;
	enum net_job_state state;
	int fd;		 /* for DHCP, -1: none */
	unsigned metric; /* of its routes */
	unsigned n_dns;
	bool set;	       /* the static address has been added */
	bool asked;	       /* routers were asked to advertise */
	bool ran;	       /* the link was said to work */
	struct link l;	       /* as seen last */
	struct link_addr addr; /* the one that makes it ready; or family 0 */
	struct dhcp dhcp;
	struct link_addr dns[NET_DNS]; /* that routers advertised */
	struct nbd_diag why;	       /* if JOB_FAILED */
};

/*
 * Takes note of an address that the interface has.  adopt: one that the
 * kernel or a program before us has set up will do in place of DHCP.
 */
void net_job_address(struct job *j, const struct link_ip *a, bool adopt);

/* Does what can be done now; j->state and j->dhcp.due tell what is next. */
void net_job_work(struct job *j, const struct net_plan *p, uint64_t now);

/* Time is over or another was faster: takes what there is. */
void net_job_end(struct job *j, const struct net_plan *p);

/* Closes the socket of DHCP. */
void net_job_close(struct job *j);

/* What a job that is done has brought. */
void net_job_state(const struct job *j, const struct net_plan *p,
		   struct net_state *s);

/* Adds those that are not in s->dns yet, as long as there is room. */
void net_job_add_dns(struct net_state *s, const struct link_addr dns[],
		     unsigned n);

#endif
