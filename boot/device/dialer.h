/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections to the servers of a device: fail-over, or spread over all. */
#ifndef BOOT_DEVICE_DIALER_H
#define BOOT_DEVICE_DIALER_H

#include "boot/device/backend.h"

/*
 * The state of dialing the servers of a device.  The caller zeroes it before
 * its first use; the rest is private.  It must outlive the connections.
 */
struct device_dialer {
	int away; /* the last error of a server that may pass; the caller clears it */
	/* private */
	struct device_tls tls[BACKEND_SERVERS];
	/* of nbd_now_ms(), until which a server that was late is asked last */
	uint64_t late[BACKEND_SERVERS];
	bool shunned[BACKEND_SERVERS]; /* asked after those, too */
	unsigned char last;	       /* the server of the last connection */
	unsigned char turn;	       /* of the local ports */
	bool keeps;
	struct nbd_uri kept[BACKEND_SERVERS]; /* whose credentials are tls[] */
};

/*
 * Makes b->connections connections for the kernel: to the first server that
 * accepts them, or with b->spread to all servers.  Those must then agree, see
 * dial_agree(), and be read-only, unless read_only is set.  On failure all
 * connections are closed, and d names each server and its reason; on success d
 * names the servers that failed before, if any.  A server whose URI contradicts
 * itself is refused before any is dialed.  At the end device_dialer_close().
 */
int device_dialer_open(struct device_dialer *dl, struct conn conns[],
		       const struct backend *b, bool read_only,
		       struct nbd_diag *d);

/*
 * Makes one connection, to the first server from `first` on that accepts it.
 * Servers that were late in the last minutes are asked after the others.
 */
int device_dialer_one(struct device_dialer *dl, struct conn *conn,
		      const struct backend *b, unsigned first,
		      struct nbd_diag *d);

/*
 * Asks the server of the last connection after the others for some minutes: it
 * accepted that connection, which was good for nothing.
 */
void device_dialer_avoid(struct device_dialer *dl);

/* The same for the server with that number in the backend. */
void device_dialer_late(struct device_dialer *dl, unsigned server);

/* That server is asked after all others, from now on. */
void device_dialer_shun(struct device_dialer *dl, unsigned server);

/* Makes one connection, to that server. */
int device_dialer_to(struct device_dialer *dl, struct conn *conn,
		     const struct backend *b, unsigned server,
		     struct nbd_diag *d);

/*
 * The servers of the backend are others now: none of them was late, and none is
 * shunned.
 */
void device_dialer_moved(struct device_dialer *dl);

/*
 * Reads the credentials of every server of b now, so that later dialing reads
 * no file; device_dialer_close() keeps them.  b may have other servers later,
 * with the same credentials; the strings of its URIs have to stay.  Later
 * dialing uses the sisters of the local port b->port in turn.  A server whose
 * credentials cannot be read fails each time it is dialed.  Returns an error if
 * no server's credentials can be read, else 0 with the servers that failed in d
 * (or "").
 */
int device_dialer_keep(struct device_dialer *dl, const struct backend *b,
		       struct nbd_diag *d);

/* Wipes all credentials, unless device_dialer_keep() read them. */
void device_dialer_close(struct device_dialer *dl);

#endif
