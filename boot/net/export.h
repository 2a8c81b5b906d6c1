/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files under /run for the programs of the real system:
 *
 *	/run/nbdboot/lease              the interface of the root
 *	/run/nbdboot/lease.state        the lease for its renewal, in binary
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
 *
 * udev keeps the interface's name.  systemd-networkd manages it without
 * touching the address (KeepConfiguration=yes) and renews the lease;
 * NetworkManager and Debian's ifupdown ignore it.  Without the files each of
 * them would cut off the root at shutdown.  NetworkManager and systemd-resolved
 * get the name servers, since an interface that is ignored brings none.
 */
#ifndef BOOT_NET_EXPORT_H
#define BOOT_NET_EXPORT_H

#include "boot/net/dhcp.h"
#include "boot/net/state.h"

#define EXPORT_LEASE  "/run/nbdboot/lease"
#define EXPORT_STATE  "/run/nbdboot/lease.state"
#define EXPORT_RESOLV "/run/nbdboot/resolv.conf"

/*
 * Writes the files of one interface.  `run` of these functions is the result of
 * file_run(); they report its failure, too.  dhcp counts if s->dhcp.  root: it
 * is the one of the root, so EXPORT_LEASE is about it.
 */
int net_export_write(int run, const struct net_state *s,
		     const struct dhcp *dhcp, bool root, struct nbd_diag *d);

/*
 * Writes the .link file alone: for an interface that stays up, but whose
 * addresses are not ours.  s->name, mac and vlan count.
 */
int net_export_name(int run, const struct net_state *s, struct nbd_diag *d);

/*
 * Writes the files that there is only one of.  s is about the root, with the
 * name servers of all interfaces; names: all that are in use, with blanks
 * between them.
 */
int net_export_machine(int run, const struct net_state *s, const char *names,
		       struct nbd_diag *d);

/* Writes the lease alone, after it was renewed. */
int net_export_lease(int run, const struct net_state *s,
		     const struct dhcp *dhcp, bool root, struct nbd_diag *d);

/*
 * Reads EXPORT_STATE: the interface, and of dhcp what net_dhcp_renewal() needs.
 * NBD_E_NOT_FOUND: there is no lease of DHCP, or another version of this
 * program wrote it.
 */
int net_export_read(int run, char name[16], struct dhcp *dhcp,
		    struct nbd_diag *d);

#endif
