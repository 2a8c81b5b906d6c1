/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An export as a disk, for worlds whose program makes the requests itself:
 * connections over any network stack, made anew when they fail, to the next
 * server if there are several.  Requests that were in flight are sent again, so
 * an outage is a pause.
 *
 * All connections are to one server, and each request goes to the one with the
 * fewest in flight.  There are several if the server sets
 * NBD_FLAG_CAN_MULTI_CONN; without it the protocol advises against that, for
 * read-only exports as well (proto.md, "Transmission flags").  The first is
 * made by nbd_disk_open() and after an outage.  The others follow during
 * nbd_disk_wait(), which does not wait for them.  One that is refused, has
 * another export or fails later is tried again now and then, and its requests go
 * to those that live.
 *
 * A write over a connection that was given up may still reach the server, after
 * later ones: NBD cannot cancel a request.
 *
 *	nbd_disk_open()
 *	nbd_disk_add()		as often as wanted
 *	nbd_disk_wait()		returns those that are done
 *	nbd_disk_close()
 */
#ifndef NBD_DISK_H
#define NBD_DISK_H

#include "core/nbd_io.h"
#include "port/dial.h"
#include "port/retry.h"

/* The most connections of a disk; each takes 2.7 KiB in firmware. */
#define NBD_DISK_LINKS \
	(CONFIG_PORT_MAX_CONNECTIONS < 4 ? CONFIG_PORT_MAX_CONNECTIONS : 4)

/* What the disk is; owned by the caller, and outlives it. */
struct nbd_disk_config {
	const struct nbd_uri *uris; /* of one disk, in the order to be tried */
	unsigned n_uris;
	/* at most; more than NBD_DISK_LINKS are that many, and 0 is 1 */
	unsigned connections;
	bool fixed; /* a disk that has grown is another one */
	/*
	 * bytes: requests begin and end at multiples of this (a power of 2), or
	 * at the end of the disk; 0: at those of the server's minimum
	 */
	uint32_t block;
	/* bytes of the longest request; 0: the first server's maximum */
	uint32_t longest;
	struct nbd_stack *net;
	struct nbd_tls *tls;	       /* for nbds:// URIs, or NULL */
	const struct nbd_extra *extra; /* as in struct nbd_config */
	const volatile int *stop;      /* as in struct conn */
	/*
	 * ms without any reply, over all attempts to connect, after which
	 * requests fail.
	 */
	unsigned patience;
	/* ms without a byte, with requests in flight: a connection is dead. */
	unsigned silence;
};

struct nbd_disk_link;

/*
 * A request.  The memory that op points to is the disk's until nbd_disk_wait()
 * returns it.  NBD_CMD_FLUSH is sent when all that were added before are done,
 * and covers them, over whatever connection.
 */
struct nbd_disk_op {
	struct nbd_op op; /* op.user is the disk's */
	/* 0; an enum nbd_wire_error (> 0); a negative enum nbd_err */
	int result;
	unsigned n_extents;
	void *user; /* for the caller alone */
	/* private */
	const struct nbd_disk_link *on; /* NULL: not sent */
	struct nbd_disk_op *next;
};

struct nbd_disk_list {
	/* private */
	struct nbd_disk_op *first, *last;
};

/* A connection. */
struct nbd_disk_link {
	/* private */
	struct conn conn;
	struct nbd_io io;
	uint64_t heard; /* ms: the latest byte, or the first request */
	enum { NBD_DISK_GONE, NBD_DISK_COMING, NBD_DISK_LIVE } state;
	bool ready;    /* for dial_step() */
	bool answered; /* a request, since it lives */
};

struct nbd_disk {
	struct nbd_export export; /* as when it was opened */
	struct nbd_diag d;	  /* the latest failure of one that lived */
	unsigned at;		  /* the URI in use, or tried last */
	unsigned connected;	  /* connections that live */
	unsigned reconnects; /* how often it connected again after all died */
	/* private */
	const struct nbd_disk_config *cfg;
	struct nbd_disk_link link[NBD_DISK_LINKS];
	struct nbd_disk_list open, done;
	struct nbd_retry retry; /* without any connection */
	struct nbd_retry more;	/* of the others */
	uint64_t again;		/* ms: when to try those */
	uint64_t replied;	/* ms: the latest reply, or the first request */
	uint64_t heard;		/* ms: the latest byte, on any connection */
	int err;		/* it can never work again */
	bool known;		/* export is */
};

/*
 * Tries each URI once.  0, or the error that gives most hope: one that may pass
 * (nbd_err_is_outage()), if there is any.  disk->d has its reason.
 */
int nbd_disk_open(struct nbd_disk *disk, const struct nbd_disk_config *cfg);

/* Queues a request, which may be one of many. */
void nbd_disk_add(struct nbd_disk *disk, struct nbd_disk_op *op);

/*
 * Moves bytes for ms milliseconds at most, unless it has to connect, until a
 * request is done.  Returns it, in the order in which they finished, or NULL.
 */
struct nbd_disk_op *nbd_disk_wait(struct nbd_disk *disk, unsigned ms);

/* One request, to its end.  Its result. */
int nbd_disk_do(struct nbd_disk *disk, unsigned type, uint64_t offset,
		void *buf, size_t len);

/* Says goodbye and closes.  Requests that are open stay the caller's. */
void nbd_disk_close(struct nbd_disk *disk);

#endif
