/* SPDX-License-Identifier: BSD-2-Clause */
/* Reviving the connections of a device until its watcher does. */
#include "boot/device/device.h"
#include "boot/device/settle.h"
#include "port/posix/dial.h"

#include <poll.h>

/* ms between looks, and between tries when those before were in vain. */
#define PAUSE_MIN  200
#define PAUSE_MAX  2000
/* ms for a server to take a connection: trying again finds it sooner. */
#define CONNECT_MS 3000

/* Was there something to do? */
static bool revive(struct device *dev, int index)
{
	int lock = device_lock(index);
	int err = device_read(dev, index, NULL);
	bool dead = dev->known && (err || dev->live < dev->wanted);

	/* it cannot be counted: what the driver has no place for it drops */
	if (dead && err)
		(void)device_add(dev, NULL);
	else if (dead)
		(void)device_fill(dev, dev->wanted, NULL);
	device_unlock(lock);
	return dead;
}

void device_revive(int index)
{
	static struct device dev; /* pages of this process alone */
	int pause = PAUSE_MIN;

	dial_connect_ms = CONNECT_MS;
	for (;;) {
		if (revive(&dev, index) && pause < PAUSE_MAX)
			pause *= 2;
		poll(NULL, 0, pause);
	}
}
