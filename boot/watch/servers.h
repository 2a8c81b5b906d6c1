/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The servers of a watched device: the addresses of their names, which are asked
 * for at the start, when files can be read, and again in an outage:
 *
 *	names --resolve--> addresses --no server answers--> names are asked again
 *	                       ^                                 |
 *	                       '---- the same, or others <-------'
 */
#ifndef BOOT_WATCH_SERVERS_H
#define BOOT_WATCH_SERVERS_H

#include "boot/device/backend.h"
#include "port/retry.h"
#include "port/stack.h"

/* All zeroes at first; private. */
struct watch_servers {
	struct nbd_uri name[BACKEND_SERVERS]; /* as the backend has them */
	unsigned n;			      /* of them */
	bool fixed[BACKEND_SERVERS];	      /* DNS does not know it */
	struct sock_addr at[BACKEND_SERVERS][BACKEND_SERVERS];
	int n_at[BACKEND_SERVERS];
	bool useless[BACKEND_SERVERS];	/* all at addresses of a family that the
					  kernel lacks */
	char text[BACKEND_SERVERS][64]; /* of the addresses */
	bool six;			/* the kernel has IPv6 */
	struct nbd_retry pause;
	uint64_t next; /* nbd_now_ms() of the next question, not sooner */
};

/*
 * Replaces names in b by addresses, by as many as there is room for; with
 * b->spread by one each.  Reads all files that names need, for
 * watch_servers_again().  b then points into *s.
 */
void watch_servers_open(struct watch_servers *s, struct backend *b);

/*
 * Asks DNS once more, which takes a few seconds at most and reads no file, but
 * not sooner than 1 s after the last time, and 30 s later on.  A name without
 * an answer keeps its addresses.  True: b has others now, and d says which.
 */
bool watch_servers_again(struct watch_servers *s, struct backend *b,
			 struct nbd_diag *d);

/* The outage is over: the next one begins with the shortest pause. */
void watch_servers_found(struct watch_servers *s);

#endif
