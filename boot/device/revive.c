/* SPDX-License-Identifier: BSD-2-Clause */
/* Revives the connections of a device until its watcher takes over. */
#include "boot/device/device.h"
#include "boot/device/settle.h"
#include "port/dial.h"
#include "port/retry.h"

#include <poll.h>

/* ms between checks: longer, up to PAUSE_MAX, while connections are dead. */
#define PAUSE_MIN  200
#define PAUSE_MAX  2000
/* ms for a server to accept a connection: a retry reaches it sooner. */
#define CONNECT_MS 3000

/*
 * Returns whether connections were dead.  With `once` it replaces none, unless
 * they cannot be counted; whether any was dead is not known then.
 */
static bool revive(struct device *dev, int index, bool once)
{
	int lock = device_lock(index);
	int err = device_read(dev, index, NULL);
	bool dead = dev->known && (err || dev->live < dev->wanted);

	/* not countable: the driver drops a connection without a dead slot */
	if (dead && err)
		(void)device_add(dev, NULL);
	else if (dead && !once)
		(void)device_fill(dev, dev->wanted, NULL);
	device_unlock(lock);
	return dead && !(once && err);
}

void device_revive(int index, bool once)
{
	static struct device dev; /* large; only this process touches it */
	struct nbd_retry retry = { .min = PAUSE_MIN, .max = PAUSE_MAX };

	nbd_retry_begin(&retry);
	dial_connect_ms = CONNECT_MS;
	for (;;) {
		if (revive(&dev, index, once)) {
			if (once)
				return;
			poll(NULL, 0, (int)nbd_retry_pause(&retry));
			continue;
		}
		nbd_retry_begin(&retry);
		poll(NULL, 0, PAUSE_MIN);
	}
}
