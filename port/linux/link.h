/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Network interfaces, by route netlink.  An interface is named by its index;
 * link_find() turns a name into one.  Results are >= 0 or a negative enum
 * nbd_err, explained in d.
 */
#ifndef PORT_LINUX_LINK_H
#define PORT_LINUX_LINK_H

#include "port/port.h"

/* The loopback interface has this index in every network namespace. */
#define LINK_LO 1

struct link {
	int index;
	unsigned flags; /* IFF_* of linux/if.h */
	bool up, carrier, loopback, ether;
	unsigned mtu;
	unsigned char mac[6]; /* zeros where it has none, or a longer one */
	char name[16];
};

/* An IPv4 or IPv6 address and the length of its prefix. */
struct link_addr {
	int family; /* AF_INET, AF_INET6 */
	unsigned char ip[16];
	unsigned prefix; /* bits, at most 32 or 128 */
};

/* Calls fn for each interface, in the kernel's order (by index). */
int link_each(void (*fn)(void *ctx, const struct link *l), void *ctx,
	      struct nbd_diag *d);

/* Its index, and *l unless NULL.  NBD_E_NO_DEVICE: there is none. */
int link_find(const char *name, struct link *l, struct nbd_diag *d);

/* Sets it up: carrier is known, and packets flow, only after that. */
int link_up(int index, struct nbd_diag *d);
int link_down(int index, struct nbd_diag *d);
int link_set_mtu(int index, unsigned mtu, struct nbd_diag *d);
int link_set_mac(int index, const unsigned char mac[6], struct nbd_diag *d);
/* Sets it down, too.  At most 15 bytes. */
int link_rename(int index, const char *name, struct nbd_diag *d);
/*
 * Makes the interface `name` for the VLAN id, 1 to 4094, on the one of that
 * index.  Loads the kernel's module 8021q if it is missing.
 */
int link_add_vlan(int index, const char *name, unsigned id, struct nbd_diag *d);

/*
 * Adds an address or, if it is there already, sets it again.  An IPv4 one
 * gets its broadcast address.  An IPv6 one is probed for duplicates by the
 * kernel and cannot be used while it is tentative (see link_each_addr()).
 */
int link_add_addr(int index, const struct link_addr *a, struct nbd_diag *d);

/* An address that an interface has. */
struct link_ip {
	int index;
	struct link_addr a;
	bool global;	/* not link-local */
	bool tentative; /* it is not known yet whether it is unique */
	bool failed;	/* another machine has it */
};

/* Calls fn for each address of each interface. */
int link_each_addr(void (*fn)(void *ctx, const struct link_ip *a), void *ctx,
		   struct nbd_diag *d);

struct link_route {
	struct link_addr dst; /* prefix 0: the default route */
	struct link_addr
		gw;	 /* its ip alone counts; family 0: dst is on the link */
	bool onlink;	 /* gw is on the link, whatever the addresses say */
	unsigned metric; /* 0: the kernel's default; the least one is used */
};

/* Adds a route, or replaces the one to dst with that metric. */
int link_add_route(int index, const struct link_route *r, struct nbd_diag *d);

/*
 * Waits until an interface of that name is there (name NULL: any but
 * loopback) and, if asked for, has a carrier.  Wakes up for the kernel's
 * events only.  timeout_ms -1: for ever.  Its index, and *l unless NULL;
 * NBD_E_NO_DEVICE: none came in time; NBD_E_UNREACHABLE: it has no carrier.
 */
int link_wait(const char *name, bool carrier, int timeout_ms, struct link *l,
	      struct nbd_diag *d);

#endif
