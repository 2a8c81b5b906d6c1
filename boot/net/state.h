/* SPDX-License-Identifier: BSD-2-Clause */
/* What a boot knows of its network once an interface is up. */
#ifndef BOOT_NET_STATE_H
#define BOOT_NET_STATE_H

#include "port/linux/link.h"

#define NET_DNS 6

/*
 * Text is "" and addresses have the family 0 where nothing is known.  Text of
 * DHCP is harmless: names hold letters, digits, '-', '_' and '.' alone,
 * root_path printable ASCII alone.
 */
struct net_state {
	bool up;    /* an interface is configured: the rest is about it */
	bool dhcp;  /* it has a lease */
	bool ends;  /* the lease has an end */
	bool fixed; /* the address is that of ip= */
	bool vlan;  /* the interface is one of vlan= */
	int index;  /* of the interface */
	char name[16];
	unsigned char mac[6];
	struct link_addr addr;	  /* ours */
	struct link_addr gateway; /* of the default route */
	struct link_addr dns[NET_DNS];
	unsigned n_dns;
	char host[65];	     /* of ip=, else of DHCP (option 12) */
	char domain[65];     /* option 15 */
	char root_path[513]; /* option 17, as the server wrote it */
	/* next-server (siaddr), else the DHCP server itself; and as text */
	struct link_addr server;
	char boot_server[16];
};

#endif
