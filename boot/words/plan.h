/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a kernel command line that configure the network. */
#ifndef BOOT_WORDS_PLAN_H
#define BOOT_WORDS_PLAN_H

#include "boot/words/ip.h"

#define PLAN_MAX 16 /* of each word */

/* rd.route=NET[/PREFIX]:[GATEWAY][:DEVICE] */
struct plan_route {
	struct nbd_ip dst; /* prefix 0: the default route */
	struct nbd_ip gw;  /* without an address dst is on the link */
	char device[18];   /* "": where the root is */
};

/* ifname=NAME:MAC */
struct plan_name {
	char name[16];
	unsigned char mac[6];
};

/* vlan=NAME:DEVICE; the digits at the end of NAME are the ID */
struct plan_vlan {
	char name[16], device[18];
	unsigned id;
};

/* bond=NAME:MEMBERS[:OPTIONS[:MTU]], bridge=NAME:MEMBERS */
struct plan_master {
	char name[16];
	char kind[8];	   /* "bond", "bridge" */
	char members[128]; /* "eth0,52-54-00-12-34-56" */
	/* "mode=802.3ad,miimon=100"; "" for a bridge */
	char options[IP_TEXT + 32];
	unsigned mtu; /* 0: unchanged */
};

struct net_plan {
	uint8_t n_ip, n_dns, n_route, n_name, n_vlan, n_master;
	bool bootdev;	  /* device is that of bootdev=, and is in an ip= */
	bool no_peer_dns; /* rd.peerdns=0 */
	bool implicit;	  /* there was no ip= */
	bool name_server; /* root= has a name, so DNS is needed */
	bool need_path;	  /* the root comes from a root-path of DHCP */
	bool path6;	  /* and that is root=dhcp6 */
	bool duid_ll;	  /* nbdboot.duid=ll */
	char device[18];  /* of bootdev=, else the MAC of BOOTIF=, or "" */
	struct ip_config ip[PLAN_MAX]; /* ip= */
	struct nbd_ip dns[PLAN_MAX];   /* nameserver= */
	struct plan_route route[PLAN_MAX];
	struct plan_name name[PLAN_MAX];
	struct plan_vlan vlan[PLAN_MAX];
	struct plan_master master[PLAN_MAX];
};

/*
 * Parses the words of line, a kernel command line; unknown ones are skipped.
 * server is the host of root=, or NULL if it is not known.  Without ip= it
 * decides the method: DHCP for a name or an IPv4 address, router advertisement
 * for an IPv6 address, only the link for a link-local address.  Returns 0, or
 * NBD_E_USAGE with the wrong word in d.
 */
int boot_plan_parse(struct net_plan *p, const char *line, const char *server,
		    struct nbd_diag *d);

/*
 * Copies the first device of a list with commas.  *rest becomes the others, NULL
 * after the last.  False: it is neither a name nor a MAC with dashes.
 */
bool boot_plan_device(const char *list, char device[18], const char **rest);

/* What the interface will be: "ether", "vlan", "bond" or "bridge". */
const char *boot_plan_kind(const struct net_plan *p, const char *name);

#endif
