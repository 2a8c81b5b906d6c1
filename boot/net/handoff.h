/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files under /run for the programs of the real system:
 *
 *	/run/nbdboot/lease              the interface of the root
 *	/run/nbdboot/lease.state        the lease for its renewal, see kept.c
 *	/run/nbdboot/resolv.conf        name servers and search list
 *	/run/net-IF.conf                as klibc's ipconfig writes it: scripts
 *	                                of initramfs-tools and cloud-init read
 *	/run/systemd/network/10-nbdboot-IF.link
 *	/run/systemd/network/10-nbdboot-IF.network
 *	/run/systemd/resolved.conf.d/nbdboot.conf
 *	/run/systemd/system/networking.service.d/nbdboot.conf
 *	/run/systemd/system/ifup@.service.d/nbdboot.conf
 *	/run/NetworkManager/conf.d/10-nbdboot-IF.conf
 *	/run/NetworkManager/conf.d/nbdboot-dns.conf
 *	/run/NetworkManager/system-connections/nbdboot.nmconnection
 *
 * udev keeps the interface's name.  systemd-networkd manages it without
 * removing the address (KeepConfiguration=yes, IgnoreCarrierLoss=yes) and renews
 * a lease of DHCPv4; NetworkManager and Debian's ifupdown ignore it.  Without the
 * files each of them would cut off the root at shutdown.  NetworkManager and
 * systemd-resolved get the name servers, since an interface that is ignored brings
 * none.  For nm-online NetworkManager gets a connection of its own, without a use.
 */
#ifndef BOOT_NET_HANDOFF_H
#define BOOT_NET_HANDOFF_H

#include "boot/net/dhcp.h"
#include "boot/net/state.h"

#define HANDOFF_LEASE  "/run/nbdboot/lease"
#define HANDOFF_RESOLV "/run/nbdboot/resolv.conf"

/*
 * Writes the files of one interface.  In these functions `run` is the result of
 * file_run(), and they report its failure, too.  dhcp is used only if s->dhcp.
 * root: this is the interface of the root, so HANDOFF_LEASE describes it.
 */
int net_handoff_write(int run, const struct net_state *s,
		      const struct dhcp *dhcp, bool root, struct nbd_diag *d);

/*
 * Writes only the .link file: for an interface that stays up without an address
 * of ours.  Of s only name, mac and vlan are used.
 */
int net_handoff_name(int run, const struct net_state *s, struct nbd_diag *d);

/*
 * Writes the files that exist only once.  s describes the root's interface, but
 * has the name servers of all interfaces; names lists all interfaces in use,
 * separated by blanks.
 */
int net_handoff_machine(int run, const struct net_state *s, const char *names,
			struct nbd_diag *d);

/* Writes only the lease, after a renewal. */
int net_handoff_lease(int run, const struct net_state *s,
		      const struct dhcp *dhcp, bool root, struct nbd_diag *d);

/* The interface that HANDOFF_LEASE describes; "": there is no lease. */
void net_handoff_interface(char name[16]);

#endif
