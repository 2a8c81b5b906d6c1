/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of the nbd driver (nbd_mc_group): a connection died. */
#ifndef PORT_LINUX_NBDK_WATCH_H
#define PORT_LINUX_NBDK_WATCH_H

#include "port/linux/netlink.h"

/* nl.fd becomes readable when there is an event. */
struct nbdk_watch {
	struct nl_sock nl;
	unsigned family;
};

/* NBD_E_NOT_FOUND: the nbd module is not loaded. */
int nbdk_watch_open(struct nbdk_watch *w, struct nbd_diag *d);

/*
 * For each connection that died, calls fn with the index of its device.
 * Returns 0 when nothing is left to read.  NBD_E_NO_MEMORY: events were lost,
 * so check every device.
 */
int nbdk_watch_read(struct nbdk_watch *w, void (*fn)(void *ctx, int index),
		    void *ctx);

void nbdk_watch_close(struct nbdk_watch *w);

#endif
