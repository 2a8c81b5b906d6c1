/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the boot's network once an interface is up. */
#ifndef BOOT_NET_STATE_H
#define BOOT_NET_STATE_H

#include "boot/net/lease6.h"
#include "port/linux/iface.h"

#define NET_DNS 16

/*
 * Unknown text is "", and unknown addresses have the length 0.  Text from DHCP
 * is harmless: names consist of letters, digits, '-', '_' and '.', domain of
 * such names with a blank between two, root_path of printable ASCII.
 */
struct net_state {
	bool up;   /* an interface is configured: the rest describes it */
	bool dhcp; /* it has a lease */
	bool ends; /* the lease has an end */
	/* its lease of DHCPv6, in place of that; NULL: none */
	const struct lease6 *lease6;
	struct nbd_ip local; /* link-local, of that */
	bool fixed;	     /* the address is that of ip= */
	int index;	     /* of the interface */
	/* "ether", "vlan", "bond", "bridge"; "" for a member of the last two */
	char kind[8];
	char name[16];
	unsigned char mac[6];
	struct nbd_ip addr;    /* ours */
	struct nbd_ip gateway; /* of the default route */
	struct nbd_ip dns[NET_DNS];
	unsigned n_dns;
	char host[65];		   /* of ip=, else of DHCP (option 12) */
	bool cut;		   /* that was longer */
	char domain[BOOT_DOMAINS]; /* of DHCP, DHCPv6 or a router */
	/* option 17, or a URI of NBD in DHCPv6's 59, as the server wrote it */
	char root_path[513];
	/* next-server (siaddr), or else the DHCP server itself; and as text */
	struct nbd_ip server;
	char boot_server[16];
};

#endif
