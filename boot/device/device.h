/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device that is connected, and more or fewer connections for it: what
 * `reconnect`, `scale`, `status`, `list` and the watcher have in common.
 */
#ifndef BOOT_DEVICE_DEVICE_H
#define BOOT_DEVICE_DEVICE_H

#include "boot/device/dialer.h"
#include "boot/device/identity.h"
#include "port/linux/nbdk_watch.h"

/* Links that are shown: those that live, and some that are on their way out. */
#define DEVICE_LINKS (2 * CONFIG_PORT_MAX_CONNECTIONS)

/*
 * A device, what it remembers, and its connections.  Zeroed before its first
 * use, and then good for one device after the other.
 */
struct device {
	struct nbdk_info info;
	struct backend b;
	char buf[BACKEND_BUF];
	bool known;	 /* b is filled in: it was connected by this program */
	bool counted;	 /* live and links[] are filled in */
	uint64_t export; /* bytes in whole blocks, when device_add() saw it */
	unsigned wanted; /* connections: b's, or what `scale` made of it */
	unsigned live, n_links;
	struct sockdiag_link links[DEVICE_LINKS];
	/* private */
	struct nl_sock diag; /* open if diag_open: for device_count() */
	bool diag_open;
	struct device_dialer dialer;
	struct conn conn;	     /* that device_add() makes */
	struct device_reader reader; /* of conn */
	struct nbdk_watch watch;     /* of device_fill() */
};

/*
 * Reads all of that but its connections, and what could be read even on
 * failure.  NBD_E_NO_DEVICE: it is not connected, NBD_E_URI: not by this
 * program, so it is unknown where to.
 */
int device_identify(struct device *dev, int index, struct nbd_diag *d);

/* The same, and looks for its connections: see device_count(). */
int device_read(struct device *dev, int index, struct nbd_diag *d);

/* Reads the size and `wanted` again, which may change while it is in use. */
void device_reread(struct device *dev);

/* Looks for its connections anew. */
int device_count(struct device *dev, struct nbd_diag *d);

/*
 * Makes one connection more and puts it into a dead slot; where connections
 * are spread, to the server that has the fewest.  The export must
 * still be what the device is: NBD_E_SIZE if it is smaller, NBD_E_MISMATCH if
 * it is read-only now, lost a feature, or is another disk image; a larger one is for device_grow().
 * Returns 0 also where the driver had no dead slot after all: device_count()
 * tells.  At the end device_dialer_close(&dev->dialer).
 */
int device_add(struct device *dev, struct nbd_diag *d);

/*
 * Makes the device as large as the export is that device_add() saw.  Only while
 * a connection lives that the driver has: see nbdk_reconfigure().
 */
int device_grow(struct device *dev, struct nbd_diag *d);

/*
 * Connections until `want` of them live, under device_lock(), then
 * device_grow().  A socket may die before the driver notices: that is waited
 * for.
 */
int device_fill(struct device *dev, unsigned want, struct nbd_diag *d);

/* Ends one of links[]. */
int device_end(struct device *dev, const struct sockdiag_link *l,
	       struct nbd_diag *d);

/*
 * Whoever changes connections counts them first: one at a time.  What it
 * returns goes to device_unlock(); without /run there is no lock.
 */
int device_lock(int index);
void device_unlock(int lock);

/*
 * How many connections a device is to have from now on, which the watcher
 * then keeps up: in /run, as the kernel has no place for it.  0: forgets it.
 */
int device_want(int index, unsigned connections, struct nbd_diag *d);

#endif
