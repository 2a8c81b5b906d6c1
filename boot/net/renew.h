/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The renewal of a lease that an earlier process got: renew.c asks once,
 * renewd.c is the process that stays.  Nothing here allocates.
 */
#ifndef BOOT_NET_RENEW_H
#define BOOT_NET_RENEW_H

#include "boot/net/job.h"

/* The caller's; filled in by net_renew_read(). */
struct net_renewal {
	struct job j; /* j.dhcp is the lease, as it is at any time */
	struct ip_config ip;
	int run; /* of file_run() */
};

/* Reads the lease of EXPORT_STATE (export.h) and finds its interface. */
int net_renew_read(struct net_renewal *r, struct nbd_diag *d);

/*
 * Asks the lease's server, or after T2 all of them, until one answers or
 * timeout_ms are over.  Needs no file; the interface may have another name by
 * now, and keeps its address for ever, since the root hangs on it.
 *
 * NBD_E_TIMEOUT: no answer, try again; NBD_E_NO_DEVICE: the server refuses, or
 * the interface is gone; NBD_E_IN_USE, only with alone: another program is a
 * DHCP client there.
 */
int net_renew_once(struct net_renewal *r, unsigned timeout_ms, bool alone,
		   struct nbd_diag *d);

/*
 * Writes what was renewed: EXPORT_LEASE, EXPORT_STATE and net-IF.conf, also
 * when the root was switched since net_renew_read().
 */
int net_renew_keep(const struct net_renewal *r, struct nbd_diag *d);

/* Milliseconds from now until a lease is to be renewed (again). */
uint64_t net_renewd_pause(const struct dhcp *dhcp, bool failed, uint64_t now);

/*
 * Stays and renews the lease of EXPORT_STATE until another DHCP client has the
 * interface (NBD_OK), or the server refuses (NBD_E_NO_DEVICE).  NBD_E_NOT_FOUND
 * at once if there is no lease.
 */
int net_renewd_run(struct net_renewal *r, struct nbd_diag *d);

#endif
