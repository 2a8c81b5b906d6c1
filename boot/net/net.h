/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network of a boot: what the kernel command line asks for, brought about
 * by the kernel's events, and what became known on the way.
 */
#ifndef BOOT_NET_NET_H
#define BOOT_NET_NET_H

#include "boot/common/cmdline.h"
#include "port/linux/link.h"

#define NET_DNS 6

/*
 * What is known once net_up() has succeeded.  Text is "" and addresses have
 * the family 0 where nobody told.  Text of DHCP is harmless: names hold
 * letters, digits, '-', '_' and '.' alone, root_path printable ASCII alone.
 */
struct net_state {
	bool up;    /* an interface is configured, and this is about it */
	bool dhcp;  /* and there is a lease */
	bool ends;  /* which has an end */
	bool fixed; /* the address is that of ip= */
	bool vlan;  /* the interface is one of vlan= */
	int index;  /* of the interface */
	char name[16];
	unsigned char mac[6];
	struct link_addr addr;	  /* ours */
	struct link_addr gateway; /* of the default route */
	struct link_addr dns[NET_DNS];
	unsigned n_dns;
	/* of the command line, else of DHCP (option 12) */
	char host[65];
	char domain[65];     /* option 15 */
	char root_path[513]; /* option 17, as the server wrote it */
	/* next-server (siaddr), else the DHCP server itself */
	struct link_addr server;
	/* both as text for who looks for a root; NULL if nobody told */
	const char *path, *boot_server;
};

/* Never NULL; its contents change with each net_up(). */
const struct net_state *net_state(void);

/*
 * Reads what the kernel command line says of the network: ip= (several),
 * nameserver=, rd.route=, rd.peerdns=, BOOTIF=, bootdev=, ifname=, vlan=.  host
 * is that of root=, "" if it has to come from DHCP's root-path, or NULL if it
 * is not known yet: without ip= it decides which kind of address is needed.
 * Returns 0, or NBD_E_USAGE with d saying what is wrong in which word.
 */
int net_configure(const struct cmdline *c, const char *host,
		  struct nbd_diag *d);

/* May any interface be brought up as soon as it appears? */
bool net_any_link(void);

/*
 * Brings the network up as configured and returns when the root can be
 * reached by it, as far as an address makes it so.  Writes what the real
 * system wants to know (see handover.h).  boot: this is the machine's boot,
 * so host name and /etc/resolv.conf are ours to set.  May be repeated: then
 * it begins anew.  NBD_E_UNREACHABLE: no interface, no link, no answer; d
 * says which.
 */
int net_up(bool boot, struct nbd_diag *d);

/*
 * Closes what net_up() has asked by.  At the last close of a packet socket the
 * kernel waits, 20 to 60 ms in a boot (packet_release(), synchronize_net()):
 * this comes when a process that was started meanwhile has them open, too.
 */
void net_done(void);

/*
 * Renews the lease of EXPORT_STATE (see handover.h) once: asks its server,
 * or after T2 all of them, until one answers or timeout_ms are over.  Keeps
 * the file up to date; the interface keeps its address for ever, since the
 * root hangs on it.  For a process that stays: allocates nothing.
 *
 * Returns the seconds until it should be called again (> 0).  NBD_E_TIMEOUT:
 * nobody answered, try again; NBD_E_NO_DEVICE: the lease is lost, or the
 * interface; NBD_E_NOT_FOUND: there is no lease.
 */
int net_dhcp_renew(unsigned timeout_ms, struct nbd_diag *d);

#endif
