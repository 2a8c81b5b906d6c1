/* SPDX-License-Identifier: BSD-2-Clause */
/* A job: one ip= on one interface, from the link to the address and routes. */
#ifndef BOOT_NET_JOB_H
#define BOOT_NET_JOB_H

#include "boot/words/plan.h"
#include "boot/net/dhcp.h"
#include "boot/net/dhcp6.h"
#include "boot/net/lease6.h"
#include "boot/net/state.h"
#include "port/linux/iface.h"

/* If several jobs differ, the one with the highest state is reported. */
enum net_job_state { JOB_WAITING, JOB_FAILED, JOB_DONE };

struct job {
	const struct ip_config *ip;
	enum net_job_state state;
	int fd;		 /* the socket for DHCP or DHCPv6; -1: none */
	unsigned metric; /* of its routes */
	unsigned n_dns;
	bool set;	     /* the static address has been added */
	bool asked;	     /* a router solicitation was sent */
	bool ran;	     /* the link had IFF_RUNNING when last seen */
	bool no_dhcp6;	     /* its socket could not be opened */
	unsigned ra;	     /* NET_RA_* that a router advertised */
	uint64_t due;	     /* ms: when to work without an event */
	uint64_t up, linked; /* ms: since when, for the times of the boot */
	struct iface l;	     /* as last seen */
	struct nbd_ip addr;  /* length 0 until the interface has one */
	struct nbd_ip local; /* link-local; length 0 until it is there */
	struct dhcp dhcp;
	struct dhcp6 dhcp6;
	struct lease6 lease6; /* begun if there was a need to ask */
	bool formed;	      /* there is a global address of a router */
	bool taken;	      /* the address of lease6 was added */
	bool twice;	      /* another machine has it */
	uint64_t leased;      /* ms: when it could be used */
	/* what routers advertised */
	struct nbd_ip dns[NET_DNS];
	char domain[BOOT_DOMAINS];
	bool names_left;     /* there were more, or others */
	struct nbd_diag why; /* if JOB_FAILED */
};

/*
 * Notes an address that the interface has.  adopt: an address that the kernel
 * or another program has set before is used in place of DHCP.
 */
void net_job_address(struct job *j, const struct iface_addr *a, bool adopt);

/*
 * Takes every step that is possible now, and updates j->state and j->due.
 */
void net_job_work(struct job *j, const struct net_plan *p, uint64_t now);

/*
 * Call this when time is over or another job was faster: from now on an address
 * is enough.
 */
void net_job_end(struct job *j, const struct net_plan *p);

/* Fills in the results of a job that is JOB_DONE. */
void net_job_state(const struct job *j, const struct net_plan *p,
		   struct net_state *s);

/* ---- jobsock.c ---- */

/* Closes the socket. */
void net_job_close(struct job *j);

/* A random number that differs by MAC even while there is no entropy. */
uint32_t net_job_seed(const unsigned char mac[6], uint64_t now);

#endif
