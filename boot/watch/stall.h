/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to the watcher: servers that stop in the middle of an answer and keep
 * the connection.  The driver, while it waits for the rest of a read's data,
 * holds the request's lock, and so its time-out has no effect: unless another
 * request on that connection is timed out, the read hangs as long as the
 * server.  With several connections no other one may ever use that one.
 */
#ifndef BOOT_WATCH_STALL_H
#define BOOT_WATCH_STALL_H

#include "boot/device/device.h"
#include "boot/watch/ask.h"

/* Looks in a row at which the same was true.  All of it is private. */
struct watch_stretch {
	unsigned looks;
	unsigned n_links;
	struct {
		uint16_t port; /* local */
		uint64_t received;
	} links[CONFIG_PORT_MAX_CONNECTIONS];
};

/* What was seen so far.  The caller zeroes it; the rest of it is private. */
struct watch_stall {
	uint64_t seen;		    /* nbd_now_ms() of the last look */
	uint64_t reads;		    /* that were completed by then */
	bool waits;		    /* others were in flight */
	struct watch_stretch stuck; /* reads wait, and none was completed */
	struct watch_stretch busy;  /* reads wait */
	struct watch_ask ask;	    /* the caller has opened it */
};

/*
 * Looks whether it is time to.  If reads have waited for twice the device's
 * time-out or longer, and meanwhile none was completed and no connection died or
 * was made, ends the TCP connections on which nearly nothing came; their servers
 * are asked last from then on, and d says so.  If others were completed, reads
 * from each connection (watch_ask()).  Expects the fresh result of
 * device_count().  Returns the ms until it is time for another look; -1: never.
 */
int watch_stall_look(struct watch_stall *s, struct device *dev,
		     struct nbd_diag *d);

/* A connection may have died or was made: reads begin anew on another. */
void watch_stall_forget(struct watch_stall *s);

#endif
