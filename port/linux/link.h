/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Network interfaces, through route netlink.  Interfaces are identified by
 * their index, which link_find() looks up by name.  Results are >= 0 or a
 * negative enum nbd_err, which d explains.
 */
#ifndef PORT_LINUX_LINK_H
#define PORT_LINUX_LINK_H

#include "port/ip.h"
#include "port/port.h"

/* The loopback interface has this index in every network namespace. */
#define LINK_LO 1

struct link {
	int index;
	unsigned flags; /* IFF_* of linux/if.h */
	bool up, carrier, loopback, ether;
	unsigned mtu;
	unsigned char mac[6]; /* zero if it has none or a longer one */
	char name[16];
};

/* Calls fn for each interface, in the kernel's order (by index). */
int link_each(void (*fn)(void *ctx, const struct link *l), void *ctx,
	      struct nbd_diag *d);

/* Returns the index; fills *l unless l is NULL.  NBD_E_NO_DEVICE: not found. */
int link_find(const char *name, struct link *l, struct nbd_diag *d);

/*
 * Fills *l anew for l->index, as its name may have changed.  Leaves it as it was
 * if there is no such interface.
 */
int link_refresh(struct link *l, struct nbd_diag *d);

/* Brings it up.  Before that its carrier is unknown, and no packets flow. */
int link_up(int index, struct nbd_diag *d);
int link_down(int index, struct nbd_diag *d);
int link_set_mtu(int index, unsigned mtu, struct nbd_diag *d);
int link_set_mac(int index, const unsigned char mac[6], struct nbd_diag *d);
/* Takes the interface down, too.  The name has at most 15 bytes. */
int link_rename(int index, const char *name, struct nbd_diag *d);
/*
 * Creates the interface `name` for the VLAN id (1 to 4094) on top of the given
 * one.  Loads the module 8021q if it is missing.
 */
int link_add_vlan(int index, const char *name, unsigned id, struct nbd_diag *d);

/*
 * Creates an interface that others can join, of the kind "bond" or "bridge".
 */
int link_add_master(const char *kind, const char *name, struct nbd_diag *d);

/* Makes the interface a member of that one, and brings it up. */
int link_join(int index, int master, struct nbd_diag *d);

/*
 * Adds an address, or sets it again.  The kernel removes it after so many
 * seconds (at least 1; LINK_FOREVER: never).  An IPv4 address gets its broadcast
 * address.  The kernel probes an IPv6 address for duplicates; until then it is
 * tentative and cannot be used (see link_each_addr()).
 */
#define LINK_FOREVER UINT32_MAX
int link_add_addr(int index, const struct nbd_ip *a, uint32_t seconds,
		  struct nbd_diag *d);

/* An address that an interface has. */
struct link_ip {
	int index;
	struct nbd_ip a;
	bool global;	/* not link-local */
	bool tentative; /* the kernel still probes for duplicates */
	bool failed;	/* another machine has it */
	bool lasting;	/* it has no end, unlike one of DHCP */
};

/* Calls fn for each address of each interface. */
int link_each_addr(void (*fn)(void *ctx, const struct link_ip *a), void *ctx,
		   struct nbd_diag *d);

/*
 * Fills *a anew for the address a->a, of which len and ip count.  Leaves it
 * as it was if no interface has it.
 */
int link_refresh_addr(struct link_ip *a, struct nbd_diag *d);

struct link_route {
	struct nbd_ip dst; /* prefix 0: the default route */
	struct nbd_ip gw;  /* without an address dst is on the link */
	bool onlink;	   /* gw is on the link even if no prefix covers it */
	unsigned metric;   /* 0: the kernel's default; the lowest one wins */
};

/* Adds a route; replaces one with the same dst and metric. */
int link_add_route(int index, const struct link_route *r, struct nbd_diag *d);

/*
 * Waits until an interface of that name exists (name NULL: any but loopback)
 * and, with `carrier`, has a carrier.  Waits for kernel events, does not poll.
 * timeout_ms -1: no limit.  Returns the index; fills *l unless l is NULL.
 * NBD_E_NO_DEVICE: none appeared in time.  NBD_E_UNREACHABLE: no carrier.
 */
int link_wait(const char *name, bool carrier, int timeout_ms, struct link *l,
	      struct nbd_diag *d);

#endif
