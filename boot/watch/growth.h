/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The root may be on a mapping of the device (boot/mapper): when the export, and
 * with it the device, has grown, that is made as large.  A child does it, as it
 * waits for the requests on their way, and these may wait for the watcher.
 */
#ifndef BOOT_WATCH_GROWTH_H
#define BOOT_WATCH_GROWTH_H

#include <sys/types.h>

#include "boot/device/device.h"
#include "port/retry.h"

/* All of it is private. */
struct watch_growth {
	int devices, run; /* /dev and /run */
	pid_t pid;
	uint64_t size;	/* bytes that the mapping has, if there is one */
	uint64_t tried; /* that the child gives it */
	uint64_t next;	/* nbd_now_ms(): the next child, not sooner */
	struct nbd_retry retry;
};

#ifdef CONFIG_BOOT_MAPPER

/* Before the process leaves the root.  devices is an open /dev. */
void watch_growth_open(struct watch_growth *g, int devices);
/*
 * Starts a child if the device is larger than before.  Returns the ms until the
 * next look; -1: none is needed.
 */
int watch_growth_look(struct watch_growth *g, const struct device *dev);

#else

static inline void watch_growth_open(struct watch_growth *g, int devices)
{
	(void)g, (void)devices;
}

static inline int watch_growth_look(struct watch_growth *g,
				    const struct device *dev)
{
	(void)g, (void)dev;
	return -1;
}

#endif
#endif
