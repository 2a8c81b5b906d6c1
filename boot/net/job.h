/* SPDX-License-Identifier: BSD-2-Clause */
/* A job: one ip= on one interface, from the link to address and routes. */
#ifndef BOOT_NET_JOB_H
#define BOOT_NET_JOB_H

#include "boot/net/dhcp.h"
#include "boot/net/plan.h"
#include "boot/net/state.h"

/* Of several jobs, the one with the highest state is reported. */
enum net_job_state { JOB_WAITING, JOB_FAILED, JOB_DONE };

struct job {
	const struct ip_config *ip;
	enum net_job_state state;
	int fd;		 /* for DHCP, -1: none */
	unsigned metric; /* of its routes */
	unsigned n_dns;
	bool set;	       /* the static address has been added */
	bool asked;	       /* routers were asked to advertise */
	bool ran;	       /* the link had IFF_RUNNING when last seen */
	struct link l;	       /* as last seen */
	struct link_addr addr; /* family 0 until the interface has one */
	struct dhcp dhcp;
	struct link_addr dns[NET_DNS]; /* that routers advertised */
	struct nbd_diag why;	       /* if JOB_FAILED */
};

/*
 * Notes an address that the interface has.  adopt: an address that was set
 * before, by the kernel or by another program, replaces DHCP.
 */
void net_job_address(struct job *j, const struct link_ip *a, bool adopt);

/* Does what can be done now; then j->state and j->dhcp.due are up to date. */
void net_job_work(struct job *j, const struct net_plan *p, uint64_t now);

/* Time is over or another job was faster: an address alone will do. */
void net_job_end(struct job *j, const struct net_plan *p);

/* Closes the socket of DHCP. */
void net_job_close(struct job *j);

/* A random number, which differs by MAC also where there is no entropy yet. */
uint32_t net_job_seed(const unsigned char mac[6], uint64_t now);

/* What is known by a job that is JOB_DONE. */
void net_job_state(const struct job *j, const struct net_plan *p,
		   struct net_state *s);

#endif
