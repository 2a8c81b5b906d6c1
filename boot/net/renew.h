/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the renewal of a lease: renew.c asks once, renewd.c stays. */
#ifndef BOOT_NET_RENEW_H
#define BOOT_NET_RENEW_H

#include "boot/net/dhcp.h"
#include "port/port.h"

/*
 * Reads the lease of EXPORT_STATE, and finds its interface: what net_renew_once()
 * is about from then on.  *dhcp is the lease, as it is at any time.
 */
int net_renew_read(struct dhcp **dhcp, struct nbd_diag *d);

/*
 * Asks for it until somebody answers or timeout_ms are over.  Needs no file;
 * the interface may have another name by now.  alone: only if nobody else is a
 * DHCP client there, else NBD_E_IN_USE.  Otherwise as net_dhcp_renew(), net.h.
 */
int net_renew_once(unsigned timeout_ms, bool alone, struct nbd_diag *d);

/*
 * Writes down what was got, as at first: EXPORT_LEASE, EXPORT_STATE and what
 * other programs read, also when the root was switched since net_renew_read().
 */
int net_renew_keep(struct nbd_diag *d);

/* Milliseconds from now until a lease is to be renewed (again). */
uint64_t net_renewd_pause(const struct dhcp *dhcp, bool failed, uint64_t now);

/*
 * Stays and renews the lease of EXPORT_STATE until another DHCP client has the
 * interface (NBD_OK), or the server takes the lease back (NBD_E_NO_DEVICE).
 * Fails at once if there is no such lease.
 */
int net_renewd_run(struct nbd_diag *d);

#endif
