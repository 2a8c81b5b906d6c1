/* SPDX-License-Identifier: BSD-2-Clause */
/* ip= of the kernel command line (nfsroot.txt), and bringing it about. */
#ifndef BOOT_NET_IP_H
#define BOOT_NET_IP_H

#include <stdbool.h>
#include <stdint.h>

#include "port/port.h"

#define IP_DNS 2

/*
 * client:server:gateway:netmask:host:device:autoconf:dns0:dns1:ntp0, any of
 * which may be empty or left out at the end.  client may be "address/prefix".
 * The server is not ours (it is NFS's) and the NTP server is left to init.
 */
struct ip_config {
	bool up;	   /* bring an interface up */
	bool is_static;	   /* and give it the address */
	uint8_t client[4]; /* network order, like all of them */
	uint8_t gateway[4], dns[IP_DNS][4];
	bool has_gateway, has_dns[IP_DNS];
	unsigned prefix; /* 0 to 32; of the address's class if not given */
	char host[65];	 /* "" if not given */
	char device[16]; /* "": the first that has a link */
};

/*
 * Parses the text of ip=.  "off" and "none" leave the network alone; NULL
 * (not given) only brings a link up, for IPv6 and for kernels that read ip=
 * themselves.  Returns 0 or NBD_E_USAGE, with d saying which field is wrong.
 */
int ip_parse(struct ip_config *ip, const char *text, struct nbd_diag *d);

/*
 * Brings the interface up, waits for its link, gives it the address and the
 * route, sets the host name and writes /etc/resolv.conf.  May be repeated.
 * NBD_E_UNREACHABLE: no interface, or no link, came in time.
 */
int ip_up(const struct ip_config *ip, struct nbd_diag *d);

#endif
