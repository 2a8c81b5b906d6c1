/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Renews a lease that an earlier process obtained: renew.c asks once, renewd.c
 * is the process that stays.  Allocates no memory.
 */
#ifndef BOOT_NET_RENEW_H
#define BOOT_NET_RENEW_H

#include "boot/words/plan.h"
#include "boot/net/job.h"

/* Owned by the caller; filled in by net_renew_read(). */
struct net_renewal {
	/* j.dhcp is the current lease, or j.lease6, which then has begun */
	struct job j;
	/* of the kernel command line: it has DNS servers and the host name */
	struct net_plan plan;
	struct ip_config ip; /* of no interface */
	int run;	     /* the result of file_run() */
	/* of renewd.c: suspend_open(), and the suspend_ms() that it knows of */
	int nap;
	uint64_t slept;
	bool resumed;  /* the machine was suspended meanwhile */
	uint64_t kept; /* when the lease of the files began */
};

/*
 * Reads the kept lease (kept.h) and finds its interface.
 */
int net_renew_read(struct net_renewal *r, struct nbd_diag *d);

/*
 * Asks the lease's server, or after T2 all servers, until one answers or
 * timeout_ms are over.  Needs no file.  The interface may have been renamed,
 * and keeps its address for ever, because the root depends on it.
 *
 * NBD_E_TIMEOUT: no answer, try again; NBD_E_NO_DEVICE: the server refuses, or
 * the interface is gone; NBD_E_IN_USE, only if `alone` is set: another program
 * is the interface's DHCP client.
 */
int net_renew_once(struct net_renewal *r, unsigned timeout_ms, bool alone,
		   struct nbd_diag *d);

/*
 * Writes the renewed lease: HANDOFF_LEASE, the kept lease (kept.h), and
 * net-IF.conf or net6-IF.conf, even if the root was switched since
 * net_renew_read().  Does nothing if the lease is the one that is kept, which
 * was only confirmed.
 */
int net_renew_keep(struct net_renewal *r, struct nbd_diag *d);

/*
 * Gives the address of the kept lease, which lasts for ever, the rest of
 * the lease as its lifetime, or an hour if that is less: nobody renews it from
 * now on.  Does nothing without a lease, or if another DHCP client has set the
 * lifetime.
 */
void net_renew_expire(void);

/* ms until a lease that was bound then (ms) is s old; 0: it is older. */
static inline uint64_t net_renew_left(uint64_t bound, uint32_t s, uint64_t now)
{
	uint64_t end = bound + s * UINT64_C(1000);

	return end > now ? end - now : 0;
}

/* Milliseconds from now until the lease is to be renewed (again). */
uint64_t net_renewd_pause(const struct dhcp *dhcp, bool failed, uint64_t now);

/*
 * Stays and renews the kept lease until another DHCP client takes
 * over the interface (NBD_OK), or the server refuses (NBD_E_NO_DEVICE).
 * NBD_E_NOT_FOUND at once if there is no lease.
 */
int net_renewd_run(struct net_renewal *r, struct nbd_diag *d);

#endif
