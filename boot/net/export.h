/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is left behind under /run, for programs of the real system:
 *
 *	/run/nbdboot/lease              the interface of the root
 *	/run/nbdboot/lease.state        what a renewal needs, in binary
 *	/run/nbdboot/resolv.conf        name servers and search list
 *	/run/net-IF.conf                as klibc's ipconfig writes it: scripts
 *	                                of initramfs-tools and cloud-init read
 *	/run/systemd/network/10-nbdboot-IF.link
 *	/run/systemd/network/10-nbdboot-IF.network
 *	/run/NetworkManager/conf.d/10-nbdboot-IF.conf
 *
 * udev leaves the interface its name.  systemd-networkd takes it over without
 * touching the address (KeepConfiguration=yes) and renews the lease;
 * NetworkManager leaves it alone.  Either would cut off the root at shutdown
 * otherwise.
 */
#ifndef BOOT_NET_EXPORT_H
#define BOOT_NET_EXPORT_H

#include "boot/net/dhcp.h"
#include "boot/net/net.h"

#define EXPORT_LEASE  "/run/nbdboot/lease"
#define EXPORT_STATE  "/run/nbdboot/lease.state"
#define EXPORT_RESOLV "/run/nbdboot/resolv.conf"

/*
 * Writes the files of one interface.  dhcp counts if s->dhcp.  root: it is
 * the one of the root, so lease and resolv.conf are about it.
 */
int net_export_write(const struct net_state *s, const struct dhcp *dhcp,
		     bool root, struct nbd_diag *d);

/*
 * What udev is told, alone: for an interface that stays up, but whose addresses
 * are not ours.  s->name, mac and vlan count.
 */
int net_export_name(const struct net_state *s, struct nbd_diag *d);

/* The lease alone, after it was renewed. */
int net_export_lease(const struct net_state *s, const struct dhcp *dhcp,
		     bool root, struct nbd_diag *d);

/*
 * Reads EXPORT_STATE: the interface, and of dhcp what net_dhcp_renewal() needs.
 * NBD_E_NOT_FOUND: there is no lease of DHCP, or another program's.
 */
int net_export_read(char name[16], struct dhcp *dhcp, struct nbd_diag *d);

#endif
