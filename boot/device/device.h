/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connected device: reads its state, and adds and ends connections.  Used by
 * `reconnect`, `scale`, `status`, `list` and the watcher.
 */
#ifndef BOOT_DEVICE_DEVICE_H
#define BOOT_DEVICE_DEVICE_H

#include "boot/device/dialer.h"
#include "boot/device/identity.h"
#include "port/linux/nbdk_watch.h"

/* Links in struct device: all live ones, and some dead ones. */
#define DEVICE_LINKS (2 * CONFIG_PORT_MAX_CONNECTIONS)

/*
 * A device, its backend identifier, and its connections.  The caller zeroes it
 * before its first use; it can then be used for several devices in turn.
 */
struct device {
	struct nbdk_info info;
	struct backend b;
	char buf[BACKEND_BUF];
	bool known;	 /* b is filled in: this program connected it */
	bool counted;	 /* live and links[] are filled in */
	uint64_t served; /* bytes of the export in whole blocks: device_add() */
	unsigned wanted; /* connections: from b, or as set by `scale` */
	unsigned live, n_links;
	struct sockdiag_link links[DEVICE_LINKS];
	/* private */
	int proc;	     /* an open /proc, 0: none; see readers.h */
	struct nl_sock diag; /* open if diag_open: for device_count() */
	bool diag_open;
	struct device_dialer dialer;
	struct conn conn;	     /* made by device_add() */
	struct device_reader reader; /* of conn */
	struct nbdk_watch watch;     /* of device_fill() */
};

/*
 * Fills in everything except the connections; on failure, the fields that could
 * be read.  NBD_E_NO_DEVICE: the device is not connected.  NBD_E_URI: another
 * program connected it, so its server is unknown.
 */
int device_identify(struct device *dev, int index, struct nbd_diag *d);

/* The same, and counts its connections with device_count(). */
int device_read(struct device *dev, int index, struct nbd_diag *d);

/* Reads size and `wanted` again: both may change while the device is in use. */
void device_reread(struct device *dev);

/* Fills in live and links[] anew. */
int device_count(struct device *dev, struct nbd_diag *d);

/*
 * Makes one more connection and puts it into a dead slot; if connections are
 * spread, to the server with the fewest.  The export must still match the
 * device: the errors of nbd_export_fits(), and NBD_E_MISMATCH if it is another
 * disk image; then the other servers are asked, too, and the error of one that is
 * away counts more.  If it is larger, call device_grow().  Returns 0 also if the
 * driver had no dead slot: check with device_count().  NBD_E_AGAIN: the kernel
 * does not read from all live connections yet, or has not left a dead one, and
 * nothing was changed.  After the last call, device_dialer_close(&dev->dialer).
 */
int device_add(struct device *dev, struct nbd_diag *d);

/*
 * Makes the device as large as the export that device_add() found.  Call it
 * only while the driver has a live connection: see nbdk_reconfigure().
 */
int device_grow(struct device *dev, struct nbd_diag *d);

/*
 * Adds connections until `want` of them live, then calls device_grow().  Expects
 * the fresh result of device_count(), or tries it once more; the caller holds
 * device_lock() since before that.  The driver may notice a dead socket late:
 * this waits until it does.  NBD_E_AGAIN as for device_add().
 */
int device_fill(struct device *dev, unsigned want, struct nbd_diag *d);

/*
 * Replaces one of links[], a copy of which is *l, by a new connection.  That is
 * made first: if no server takes it, the old one stays.  Expects the fresh
 * result of device_count(); the caller holds device_lock().  NBD_E_AGAIN: the
 * kernel is too busy; if the old one is dead by then (device_has() after
 * device_count()), call device_fill() later.
 */
int device_replace(struct device *dev, const struct sockdiag_link *l,
		   struct nbd_diag *d);

/* Is it one of links[], and live? */
bool device_has(struct device *dev, const struct sockdiag_link *l);

/* Ends one of links[]. */
int device_end(struct device *dev, const struct sockdiag_link *l,
	       struct nbd_diag *d);

/*
 * Asks the server of one of links[], which lives, after the others for some
 * minutes.
 */
void device_avoid(struct device *dev, const struct sockdiag_link *l);

/* The server with the fewest of links[]. */
unsigned device_emptiest(const struct device *dev);

/*
 * Are all of links[] that live, one at least, to that server of dev->b, and
 * surely to no other one?
 */
bool device_has_only(const struct device *dev, unsigned server);

/*
 * Ends those of links[] that are to that server, and dials it only when no other
 * one answers.  NBD_E_USAGE: it is at a UNIX socket.
 */
int device_leave(struct device *dev, unsigned server, struct nbd_diag *d);

/*
 * Held from counting the connections until they are changed, so that only one
 * process changes them.  Pass the result to device_unlock().  Without /run
 * there is no lock.  After a minute this goes on without it: the process that
 * holds it may be stopped, or its program may be on the device that hangs, and
 * then wait for the watcher.
 */
int device_lock(int index);
void device_unlock(int lock);

/*
 * Sets the number of connections that the watcher keeps alive from now on.  It
 * is stored in /run, because the kernel cannot store it.  0: deletes it.
 */
int device_want(int index, unsigned connections, struct nbd_diag *d);
/* That number, or that of the backend. */
unsigned device_wanted(int index, const struct backend *b);

#endif
