/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One more connection for a device:
 *
 *   dial --> is it still the same disk? --> mark --> RECONFIGURE
 */
#include "boot/device/device.h"
#include "boot/device/decoy.h"
#include "boot/device/limit.h"
#include "boot/device/readers.h"
#include "boot/device/swap.h"
#include "port/export_same.h"

#include <limits.h>
#include <linux/netlink.h>
#include <poll.h>
#include <string.h>

/* ms for readers to begin or to end, and between looks. */
#define ENDED_MS 5000
#define LOOK_MS	 5

/* ---- the state of the links ---- */

static void take(void *ctx, const struct sockdiag_link *l)
{
	struct device *dev = ctx;
	unsigned at = dev->n_links;

	dev->live += l->live;
	if (at < DEVICE_LINKS)
		dev->n_links++;
	else /* full: a live link replaces a dead one */
		for (at = 0; at < DEVICE_LINKS; at++)
			if (l->live && !dev->links[at].live)
				break;
	if (at < DEVICE_LINKS)
		dev->links[at] = *l;
}

/* Asks only for kinds in use: the kernel may lack the module of another. */
static unsigned kinds(const struct backend *b)
{
	unsigned k = 0;

	for (unsigned i = 0; i < b->servers; i++)
		k |= b->uris[i].is_unix ? SOCKDIAG_UNIX : SOCKDIAG_TCP;
	return k;
}

int device_count(struct device *dev, struct nbd_diag *d)
{
	int err = dev->diag_open ? 0
				 : nl_open(&dev->diag, NETLINK_SOCK_DIAG, 0, d);

	dev->diag_open = !err;
	dev->live = dev->n_links = 0;
	if (!err)
		err = sockdiag_each(&dev->diag, dev->info.index, kinds(&dev->b),
				    take, dev, d);
	dev->counted = !err;
	return err;
}

void device_reread(struct device *dev)
{
	nbdk_info(dev->info.index, &dev->info);
	dev->wanted = device_wanted(dev->info.index, &dev->b);
}

int device_identify(struct device *dev, int index, struct nbd_diag *d)
{
	int err = nbdk_info(index, &dev->info);

	if (dev->proc <= 0) /* later the watcher's root has none */
		dev->proc = device_readers_open();
	dev->known = dev->counted = false;
	dev->live = dev->n_links = 0;
	if (err)
		return nbd_diag(d, err, "there is no nbd%d", index);
	if (!dev->info.connected)
		return nbd_diag(d, NBD_E_NO_DEVICE, "nbd%d is not connected",
				index);
	if (device_backend_parse(&dev->b, dev->buf, dev->info.backend))
		return nbd_diag(d, NBD_E_URI,
				"nbd%d was connected by another program, and "
				"its server is not known (its backend: \"%s\")",
				index, dev->info.backend);
	dev->known = true;
	dev->wanted = device_wanted(dev->info.index, &dev->b);
	return NBD_OK;
}

int device_read(struct device *dev, int index, struct nbd_diag *d)
{
	int err = device_identify(dev, index, d);

	return err ? err : device_count(dev, d);
}

/* ---- is it still the same? ---- */

static int compare(const struct device *dev, const struct nbd_export *e,
		   struct nbd_diag *d)
{
	const struct nbdk_info *i = &dev->info;
	uint32_t longest = device_limit(i->index);
	const struct nbd_relied r = {
		.size = i->size,
		.flags = (uint16_t)(nbdk_flags(i->index) |
				    (dev->live ? NBD_FLAG_CAN_MULTI_CONN : 0)),
		.read_only = i->read_only,
		.block = i->block_size,
		.longest = longest,
	};
	int err = nbd_export_fits(&r, e, d);

	/*
	 * Requests that wait may be that long, and newer kernels (with commit
	 * af2814149883, of 2024) let no setting change while requests wait.
	 */
	return err == NBD_E_PAYLOAD
		       ? nbd_diag(d, err,
				  "the server accepts %u bytes at once, the "
				  "device sends up to %u: give it the old "
				  "maximum back, or let the device send less "
				  "before an outage (`nbdboot tune nbd%d "
				  "max_sectors_kb=%u`)",
				  nbd_export_max(e), longest, i->index,
				  nbd_export_max(e) / 1024)
		       : err;
}

/* Sets the size unless it is NBDK_KEEP, and hands over n sockets of fds[]. */
static int reconfigure(const struct device *dev, uint64_t size, const int fds[],
		       unsigned n, struct nbd_diag *d)
{
	const struct nbdk_conf conf = {
		.index = dev->info.index,
		.size = size,
		.timeout = NBDK_KEEP,
		.dead_timeout = NBDK_KEEP,
		.client_flags = NBDK_KEEP,
		.backend = dev->info.backend,
		.fds = fds,
		.n_fds = n,
	};

	return nbdk_reconfigure(&conf, d);
}

/*
 * The queue's rescuer takes all readers that wait to begin, and only the first
 * ever does (see readers.h).  So nothing is made or ended before each live
 * connection is read: NBD_E_AGAIN.  A reader that begins after its connection
 * was replaced would also take data of the next one.
 */
static int await_begun(struct device *dev, struct nbd_diag *d)
{
	uint64_t end = nbd_now_ms() + ENDED_MS;

	while (dev->counted && dev->proc > 0 &&
	       !device_readers_run(dev->proc, dev->info.index, dev->live)) {
		if (nbd_now_ms() >= end)
			return nbd_diag(d, NBD_E_AGAIN,
					"the kernel is too busy to read from "
					"all connections of nbd%d: none is "
					"replaced before it does",
					dev->info.index);
		poll(NULL, 0, LOOK_MS);
		if (device_count(dev, NULL))
			break;
	}
	return 0;
}

/*
 * The driver frees a dead socket as it puts a new one into its slot, also while
 * the old one's reader is still inside it.  That reader then uses freed memory
 * (seen with Linux 6.1 to 7.2: tests/vm/nbd-oops.md), or ends the new
 * connection.  So wait until no reader is, or replace nothing: NBD_E_AGAIN.
 */
static int await_ended(struct device *dev, bool *locked, struct nbd_diag *d)
{
	uint64_t end = nbd_now_ms() + ENDED_MS;
	struct device_readers seen = { 0 };

	*locked = false;
	while (dev->counted && dev->proc > 0) {
		unsigned live = dev->live;
		bool clear;

		if (nbd_now_ms() >= end)
			return nbd_diag(d, NBD_E_AGAIN,
					"the kernel is too busy to leave a "
					"dead connection of nbd%d: nothing "
					"can replace it before",
					dev->info.index);
		clear = device_readers_clear(dev->proc, dev->info.index, &seen);
		*locked = seen.locked && !live;
		/*
		 * Race: one that lived when they were counted may have died since,
		 * and all that was seen says nothing about its reader.  Counting
		 * anew must not need a module that was missing before.
		 */
		if (device_count(dev, NULL) || (clear && dev->live == live))
			break;
		if (dev->live != live)
			seen.n = 0;
		if (!clear)
			poll(NULL, 0, LOOK_MS);
	}
	return 0;
}

/*
 * A request that timed out waits for a connection, with its lock held, and the
 * reader of its late reply for that lock.  A socket that takes nothing makes the
 * request try, fail and let go; the reader then finds it changed, and ends.
 */
static int await_left(struct device *dev, struct nbd_diag *d)
{
	bool locked, still;
	int err = await_ended(dev, &locked, d), fds[2];

	if (!err || !locked || device_decoy(fds))
		return err;
	err = reconfigure(dev, NBDK_KEEP, fds, 1, d);
	if (!err && (err = device_decoy_await(fds)) != 0)
		nbd_diag(d, err, "the kernel is too busy to read from nbd%d",
			 dev->info.index);
	if (!err)
		(void)await_ended(dev, &still, NULL);
	device_decoy_close(fds);
	return err ? err : await_ended(dev, &still, d);
}

/*
 * Waits until each live connection has a reader: two that come later would be
 * taken by the queue's rescuer.  Race: the driver may have had no dead slot for
 * the new one, or another may have died; nobody would ever read from those.
 */
static void await_started(struct device *dev)
{
	if (dev->counted && dev->proc > 0 && !device_count(dev, NULL))
		(void)device_readers_await(dev->proc, dev->info.index,
					   dev->live);
}

static int hand_over(struct device *dev, struct nbd_diag *d)
{
	const int *fd = &dev->conn.s.fd;
	int err = await_begun(dev, d);

	if (!err)
		err = await_left(dev, d);
	if (err)
		return err;
	device_limit_note(dev->info.index,
			  nbd_export_max(nbd_export(&dev->conn.c)));
	err = sockdiag_tag(*fd, dev->info.index);
	if (err)
		return nbd_diag(d, err, "mark a connection of nbd%d: %s",
				dev->info.index, nbd_err_text(err));
	device_swap_prepare(&dev->b, fd, 1);
	return reconfigure(dev, NBDK_KEEP, fd, 1, d);
}

int device_grow(struct device *dev, struct nbd_diag *d)
{
	int err;

	if (dev->served <= dev->info.size)
		return 0;
	err = reconfigure(dev, dev->served, NULL, 0, d);
	if (!err)
		dev->info.size = dev->served;
	return err;
}

/* That one of links[], if it lives; else NULL. */
static struct sockdiag_link *find(struct device *dev,
				  const struct sockdiag_link *l)
{
	for (unsigned i = 0; i < dev->n_links; i++)
		if (dev->links[i].live &&
		    !memcmp(dev->links[i].id, l->id, sizeof(l->id)))
			return &dev->links[i];
	return NULL;
}

bool device_has(struct device *dev, const struct sockdiag_link *l)
{
	return find(dev, l);
}

/*
 * Dials until a server has the same disk.  One that was dialed, but fails here,
 * is asked after the others from then on.
 */
static int dial_same(struct device *dev, struct nbd_diag *d)
{
	unsigned first = dev->b.spread ? device_emptiest(dev) : 0;
	struct conn *conn = &dev->conn;
	int err = 0;

	dev->dialer.away = 0;
	for (unsigned bad = 0; bad < dev->b.servers; bad++) {
		err = device_dialer_one(&dev->dialer, conn, &dev->b, first, d);
		if (err)
			return err;
		err = compare(dev, nbd_export(&conn->c), d);
		if (!err && dev->b.identity)
			err = device_identity_check(&dev->reader, conn,
						    dev->b.identity, d);
		if (!err)
			return 0;
		device_dialer_avoid(&dev->dialer);
		dial_hangup(conn, 1);
	}
	/* one that is away may have the disk: callers try again */
	return dev->dialer.away ? dev->dialer.away : err;
}

/* Hands over the connection that dial_same() made. */
static int put(struct device *dev, struct nbd_diag *d)
{
	uint32_t block = dev->info.block_size;
	struct conn *conn = &dev->conn;
	int err = hand_over(dev, d);
	uint64_t size;

	if (err) {
		dial_hangup(conn, 1);
		return err;
	}
	/* no block size: the device is being disconnected, keep its size */
	size = nbd_export(&conn->c)->size;
	dev->served = block ? size - size % block : 0;
	sock_close(&conn->s);
	await_started(dev);
	return 0;
}

int device_add(struct device *dev, struct nbd_diag *d)
{
	int err = dial_same(dev, d);

	return err ? err : put(dev, d);
}

static void nothing(void *ctx, int index)
{
	(void)ctx, (void)index;
}

/* Waits for a dead slot: the driver notices a dead socket later than we do. */
static int await_slot(struct device *dev, struct nbd_diag *d)
{
	struct pollfd p = { .fd = dev->watch.nl.fd, .events = POLLIN };
	int ms = dev->info.io_timeout ? (int)dev->info.io_timeout : 30000;

	if (poll(&p, 1, ms) == 0)
		return nbd_diag(d, NBD_E_KERNEL,
				"the nbd driver has no dead connection to "
				"replace: nbd%d has %u that live",
				dev->info.index, dev->live);
	nbdk_watch_read(&dev->watch, nothing, NULL);
	return 0;
}

/*
 * Adds one, and counts.  Race: since it was counted to await the readers, the
 * server may have dropped it.
 */
static int fill_one(struct device *dev, unsigned *in_vain, struct nbd_diag *d)
{
	unsigned before = dev->live;
	int err = device_add(dev, d);

	if (!err)
		err = device_count(dev, d);
	if (err || dev->live > before)
		return err;
	/* one try in vain per slot: the driver noticed too late */
	if ((*in_vain)++ == device_backend_slots(&dev->b))
		return nbd_diag(d, NBD_E_CUT,
				"the server accepts connections and drops them "
				"at once");
	err = await_slot(dev, d);
	return err ? err : device_count(dev, d);
}

int device_fill(struct device *dev, unsigned want, struct nbd_diag *d)
{
	unsigned in_vain = 0;
	int err = nbdk_watch_open(&dev->watch, d);

	if (err)
		return err;
	if (!dev->counted)
		err = device_count(dev, d);
	while (!err && dev->live < want)
		err = fill_one(dev, &in_vain, d);
	if (!err && dev->live)
		err = device_grow(dev, d);
	nbdk_watch_close(&dev->watch);
	device_dialer_close(&dev->dialer);
	return err;
}

/* From now on links[] says that it is dead. */
static void forget(struct device *dev, const struct sockdiag_link *l)
{
	struct sockdiag_link *it = find(dev, l);

	if (!it)
		return;
	it->live = false;
	dev->live--;
}

static int replace(struct device *dev, const struct sockdiag_link *l,
		   struct nbd_diag *d)
{
	int err = await_begun(dev, d);

	if (err)
		return err;
	forget(dev, l);
	err = dial_same(dev, d);
	if (err)
		return err;
	err = device_end(dev, l, d);
	if (!err)
		(void)await_slot(dev, NULL);
	if (err && err != NBD_E_NOT_FOUND) {
		dial_hangup(&dev->conn, 1);
		return err;
	}
	/* ignore errors: device_fill() makes another */
	(void)put(dev, NULL);
	return 0;
}

int device_replace(struct device *dev, const struct sockdiag_link *l,
		   struct nbd_diag *d)
{
	unsigned live = dev->live;
	int err = nbdk_watch_open(&dev->watch, d);

	if (err)
		return err;
	err = replace(dev, l, d);
	nbdk_watch_close(&dev->watch);
	if (!err)
		err = device_count(dev, d);
	if (!err)
		return device_fill(dev, live, d);
	device_dialer_close(&dev->dialer);
	return err;
}
