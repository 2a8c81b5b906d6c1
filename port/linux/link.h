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
	bool up, carrier, loopback;
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
int link_set_mtu(int index, unsigned mtu, struct nbd_diag *d);

/*
 * Adds an address or, if it is there already, sets it again.  An IPv4 one
 * gets its broadcast address; an IPv6 one is usable at once (it is not
 * probed for duplicates).
 */
int link_add_addr(int index, const struct link_addr *a, struct nbd_diag *d);

/*
 * Adds or replaces the route to dst (prefix 0: the default route) via the
 * gateway gw, of which ip alone counts and which must be on the link already;
 * gw NULL: dst itself is on the link.
 */
int link_add_route(int index, const struct link_addr *dst,
		   const struct link_addr *gw, struct nbd_diag *d);

/*
 * Waits until an interface of that name is there (name NULL: any but
 * loopback) and, if asked for, has a carrier.  Wakes up for the kernel's
 * events only.  timeout_ms -1: for ever.  Its index, and *l unless NULL;
 * NBD_E_NO_DEVICE: none came in time; NBD_E_UNREACHABLE: it has no carrier.
 */
int link_wait(const char *name, bool carrier, int timeout_ms, struct link *l,
	      struct nbd_diag *d);

#endif
