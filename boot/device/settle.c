/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first open of a device:
 *
 *	this process --> opener    nbdk_wait_ready(), may sleep in the kernel
 *	     '--> its result, or device_settle_await() gives it up: disconnect
 */
#include "boot/device/settle.h"
#include "port/linux/nbdk.h"
#include "port/linux/process.h"

/* ms for the opener to end when its device is disconnected. */
#define END_MS 2000

struct opening {
	int index;
	uint64_t size;
};

static int do_open(void *data, struct nbd_diag *d)
{
	const struct opening *o = data;

	return nbdk_wait_ready(o->index, o->size, d);
}

static int open_it(struct opening *o, int signals, bool last,
		   struct nbd_diag *d)
{
	struct process opener;
	int err = process_start(&opener, do_open, o, 0, d), died;

	if (err) {
		nbdk_disconnect(o->index, NULL);
		return err;
	}
	died = device_settle_await(&opener, signals, o->index, last, SETTLE_MS);
	/* the opener's I/O fails with this, so it can end */
	if (died)
		nbdk_disconnect(o->index, NULL);
	err = process_finish(&opener, NULL, 0, "opening the device",
			     nbd_now_ms() + END_MS, d);
	if (!died) {
		if (err)
			nbdk_disconnect(o->index, NULL);
		return err;
	}
	if (died == NBD_E_INTERRUPTED)
		return nbd_diag(d, died, "nbd%d: disconnected again", o->index);
	return nbd_diag(d, died,
			"nbd%d: the server took the connection, but its first "
			"blocks could not be read: it drops or ignores "
			"requests, or large packets are lost on the way (MTU)",
			o->index);
}

int device_settle(int index, uint64_t size, bool last,
		  const struct device_signals *signals, struct nbd_diag *d)
{
	struct opening o = { index, size };

	return open_it(&o, signals->fd, last, d);
}
