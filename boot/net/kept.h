/* SPDX-License-Identifier: BSD-2-Clause */
/* The lease of the root's address under /run, for its renewal. */
#ifndef BOOT_NET_KEPT_H
#define BOOT_NET_KEPT_H

#include "boot/net/dhcp.h"
#include "boot/net/state.h"

#define KEPT_STATE "/run/nbdboot/lease.state"

/*
 * A lease and where it is.  It is lease6 if net_lease6_begun() says so, else
 * dhcp.  Of what a server said besides the address, its times and the server,
 * a lease that was read has nothing, except the host name.
 */
struct net_kept {
	char name[16]; /* of the interface when it was got */
	int index;
	struct nbd_ip local; /* its link-local address, for lease6 */
	struct dhcp dhcp;
	struct lease6 lease6;
};

/*
 * Writes a file of len bytes; path is relative to /run, and run is the result
 * of file_run(), whose failure is reported, too.
 */
int net_kept_save(int run, const char *path, const void *data, size_t len,
		  struct nbd_diag *d);

/*
 * Writes the lease of the root's interface, or removes that of an earlier try
 * if it has none.  dhcp is used only if s->dhcp.
 */
int net_kept_write(int run, const struct net_state *s, const struct dhcp *dhcp,
		   struct nbd_diag *d);

/*
 * Reads KEPT_STATE, which is text that another version of this program may have
 * written.  NBD_E_NOT_FOUND: there is no lease, or none that can be read.
 */
int net_kept_read(int run, struct net_kept *k, struct nbd_diag *d);

/* The leased address, as a single host. */
struct nbd_ip net_kept_addr(const struct net_kept *k);

/* When the lease began (ms), and how many s it lasts; UINT32_MAX: for ever. */
uint64_t net_kept_bound(const struct net_kept *k);
uint32_t net_kept_seconds(const struct net_kept *k);

#endif
