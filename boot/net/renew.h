/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the renewal of a lease: renew.c asks once, keep.c stays. */
#ifndef BOOT_NET_RENEW_H
#define BOOT_NET_RENEW_H

#include "boot/net/dhcp.h"
#include "port/port.h"

/*
 * Reads the lease of HANDOVER_STATE, and finds its interface: what renew_once()
 * is about from then on.  *dhcp is the lease, as it is at any time.
 */
int renew_read(struct dhcp **dhcp, struct nbd_diag *d);

/*
 * Asks for it until somebody answers or timeout_ms are over.  Needs no file;
 * the interface may have another name by now.  alone: only if nobody else is a
 * DHCP client there, else NBD_E_IN_USE.  Otherwise as dhcp_renew(), net.h.
 */
int renew_once(unsigned timeout_ms, bool alone, struct nbd_diag *d);

/*
 * Writes down what was got, as at first: HANDOVER_LEASE, HANDOVER_STATE and what
 * other programs read, also when the root was switched since renew_read().
 */
int renew_keep(struct nbd_diag *d);

/* Milliseconds from now until a lease is to be renewed (again). */
uint64_t renew_pause(const struct dhcp *dhcp, bool failed, uint64_t now);

#endif
