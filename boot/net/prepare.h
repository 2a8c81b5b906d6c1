/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happens to an interface before it gets an address: its name (ifname=),
 * and what is on top of it (vlan=, bond=, bridge=).
 */
#ifndef BOOT_NET_PREPARE_H
#define BOOT_NET_PREPARE_H

#include "boot/net/net.h"

/* Prints an error that does not end the boot. */
void net_report(int rc, const struct nbd_diag *d);

/*
 * Prepares the interface, once.  Errors are printed.  True if it gets no
 * address: it is a member of a bond or a bridge, or was renamed and will be
 * listed again.
 */
bool net_prepare(struct net *net, const struct iface *iface);

#endif
