/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections to the servers of a device: fail-over, or spread over all. */
#ifndef BOOT_DEVICE_DIALER_H
#define BOOT_DEVICE_DIALER_H

#include "boot/device/backend.h"

/*
 * What dialing the servers of a device takes.  Zeroed before its first use;
 * all of it is private.  It outlives the connections.
 */
struct device_dialer {
	struct nbd_config cfgs[BACKEND_SERVERS]; /* the engines point to them */
	struct device_tls tls[BACKEND_SERVERS];
	bool keeps;
};

/*
 * Makes b->connections connections for the kernel: to the first server that
 * gives them, or with b->spread to all servers in turn, which then have to
 * agree on size and flags, and be read-only (or read_only be wanted).  On
 * failure all is closed, and d names each server and its reason; after success
 * those that were tried before, if any.  A server whose URI contradicts itself
 * is refused before any is dialed.  At the end device_dialer_close().
 */
int device_dialer_open(struct device_dialer *dl, struct conn conns[],
		       const struct backend *b, bool read_only,
		       struct nbd_diag *d);

/* One connection, to the first server that gives it from `first` on. */
int device_dialer_one(struct device_dialer *dl, struct conn *conn,
		      const struct backend *b, unsigned first,
		      struct nbd_diag *d);

/*
 * Reads the credentials of every server of b now: dialing reads no file from
 * then on, and device_dialer_close() keeps them.  A server whose credentials
 * cannot be read is refused each time it is dialed.  An error: they could not
 * be read of any; or 0, and d names those of which they could not (else "").
 */
int device_dialer_keep(struct device_dialer *dl, const struct backend *b,
		       struct nbd_diag *d);

/* Forgets and wipes all credentials. */
void device_dialer_close(struct device_dialer *dl);

#endif
