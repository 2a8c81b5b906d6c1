/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of the nbd driver: a connection died (nbd_mc_group). */
#ifndef PORT_LINUX_NBDK_WATCH_H
#define PORT_LINUX_NBDK_WATCH_H

#include "port/linux/netlink.h"

/* nl.fd is readable when there is something to read. */
struct nbdk_watch {
	struct nl_sock nl;
	unsigned family;
};

/* NBD_E_NOT_FOUND: the nbd module is not loaded. */
int nbdk_watch_open(struct nbdk_watch *w, struct nbd_diag *d);

/*
 * Calls fn with the index of the device for each connection that died, until
 * nothing is left to read; then 0.  NBD_E_NO_MEMORY: events were lost, so look
 * at every device.
 */
int nbdk_watch_read(struct nbdk_watch *w, void (*fn)(void *ctx, int index),
		    void *ctx);

void nbdk_watch_close(struct nbdk_watch *w);

#endif
