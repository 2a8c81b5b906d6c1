/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Network interfaces, through route netlink.  Interfaces are identified by
 * their index, which iface_find() looks up by name.  Results are >= 0 or a
 * negative enum nbd_err, which d explains.
 */
#ifndef PORT_LINUX_IFACE_H
#define PORT_LINUX_IFACE_H

#include "port/ip.h"
#include "port/port.h"

/* The loopback interface has this index in every network namespace. */
#define IFACE_LO 1

struct iface {
	int index;
	unsigned flags; /* IFF_* of linux/if.h */
	bool up, carrier, loopback, ether;
	unsigned mtu;
	unsigned char mac[6]; /* zero if it has none or a longer one */
	char name[16];
};

/* Calls fn for each interface, in the kernel's order (by index). */
int iface_each(void (*fn)(void *ctx, const struct iface *iface), void *ctx,
	       struct nbd_diag *d);

/*
 * Returns the index; fills *iface unless it is NULL.  NBD_E_NO_DEVICE: not
 * found.
 */
int iface_find(const char *name, struct iface *iface, struct nbd_diag *d);

/*
 * Fills *iface anew for iface->index, as its name may have changed.  Leaves it
 * as it was if there is no such interface.
 */
int iface_refresh(struct iface *iface, struct nbd_diag *d);

/* Brings it up.  Before that its carrier is unknown, and no packets flow. */
int iface_up(int index, struct nbd_diag *d);
int iface_down(int index, struct nbd_diag *d);
int iface_set_mtu(int index, unsigned mtu, struct nbd_diag *d);
int iface_set_mac(int index, const unsigned char mac[6], struct nbd_diag *d);
/* Takes the interface down, too.  The name has at most 15 bytes. */
int iface_rename(int index, const char *name, struct nbd_diag *d);
/*
 * Creates the interface `name` for the VLAN id (1 to 4094) on top of the given
 * one.  Loads the module 8021q if it is missing.
 */
int iface_add_vlan(int index, const char *name, unsigned id,
		   struct nbd_diag *d);

/*
 * Creates an interface that others can join, of the kind "bond" or "bridge".
 */
int iface_add_master(const char *kind, const char *name, struct nbd_diag *d);

/* Makes the interface a member of that one, and brings it up. */
int iface_join(int index, int master, struct nbd_diag *d);

/*
 * Adds an address, or sets it again.  The kernel removes it after so many
 * seconds (at least 1; IFACE_FOREVER: never).  An IPv4 address gets its broadcast
 * address.  The kernel probes an IPv6 address for duplicates; until then it is
 * tentative and cannot be used (see iface_each_addr()).
 */
#define IFACE_FOREVER UINT32_MAX
int iface_add_addr(int index, const struct nbd_ip *addr, uint32_t seconds,
		   struct nbd_diag *d);

/* An address that an interface has. */
struct iface_addr {
	int index;
	struct nbd_ip a;
	bool global;	/* not link-local */
	bool tentative; /* the kernel still probes for duplicates */
	bool failed;	/* another machine has it */
	bool lasting;	/* it has no end, unlike one of DHCP */
};

/* Calls fn for each address of each interface. */
int iface_each_addr(void (*fn)(void *ctx, const struct iface_addr *a),
		    void *ctx, struct nbd_diag *d);

/*
 * Fills *a anew for the address a->a, of which len and ip count.  Leaves it
 * as it was if no interface has it.
 */
int iface_refresh_addr(struct iface_addr *a, struct nbd_diag *d);

struct iface_route {
	struct nbd_ip dst; /* prefix 0: the default route */
	struct nbd_ip gw;  /* without an address dst is on the link */
	bool onlink;	   /* gw is on the link even if no prefix covers it */
	unsigned metric;   /* 0: the kernel's default; the lowest one wins */
};

/* Adds a route; replaces one with the same dst and metric. */
int iface_add_route(int index, const struct iface_route *r, struct nbd_diag *d);

/*
 * Waits until an interface of that name exists (name NULL: any but loopback)
 * and, with `carrier`, has a carrier.  Waits for kernel events, does not poll.
 * timeout_ms -1: no limit.  Returns the index; fills *iface unless it is NULL.
 * NBD_E_NO_DEVICE: none appeared in time.  NBD_E_UNREACHABLE: no carrier.
 */
int iface_wait(const char *name, bool carrier, int timeout_ms,
	       struct iface *iface, struct nbd_diag *d);

#endif
