/* SPDX-License-Identifier: BSD-2-Clause */
/* The lease of the root's address under /run, for its renewal. */
#ifndef BOOT_NET_KEPT_H
#define BOOT_NET_KEPT_H

#include "boot/net/dhcp.h"
#include "boot/net/state.h"

#define KEPT_STATE  "/run/nbdboot/lease.state"
#define KEPT_STATE6 "/run/nbdboot/lease6.state"

/*
 * Writes a file of len bytes; path is relative to /run, and run is the result
 * of file_run(), whose failure is reported, too.
 */
int net_kept_save(int run, const char *path, const void *data, size_t len,
		  struct nbd_diag *d);

/* Writes the lease of the root's interface, if it has one. */
int net_kept_write(int run, const struct net_state *s, const struct dhcp *dhcp,
		   struct nbd_diag *d);

/*
 * Reads KEPT_STATE: the name of the interface, and the members of dhcp that
 * net_dhcp_renewal() needs.  NBD_E_NOT_FOUND: there is no DHCP lease, or
 * another version of this program wrote the file.
 */
int net_kept_read(int run, char name[16], struct dhcp *dhcp,
		  struct nbd_diag *d);

/* A lease of DHCPv6, and where it is. */
struct net_kept6 {
	char name[16]; /* of the interface when it was got */
	int index;
	unsigned char local[16]; /* its link-local address */
	struct lease6 lease6;
};

/* Reads KEPT_STATE6, as net_kept_read() reads KEPT_STATE. */
int net_kept_read6(int run, struct net_kept6 *kept, struct nbd_diag *d);

#endif
