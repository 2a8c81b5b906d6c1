/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests: the transmission phase of a connection that is used in this
 * program instead of being handed over to the kernel (proto.md,
 * "Transmission").  Needs CONFIG_CORE_IO.
 *
 *	nbd_start()   once, at NBD_READY
 *	nbd_submit()  while NBD_READY	  takes one of the slots
 *	nbd_reap()    while NBD_DONE	  returns a finished request
 *	nbd_release()			  gives its slot back
 *
 * In between the caller moves bytes as in the handshake (nbd.h).
 */
#ifndef NBD_IO_H
#define NBD_IO_H

#include "core/nbd.h"

#ifndef CONFIG_CORE_MAX_REQS
#define CONFIG_CORE_MAX_REQS 16
#endif

#define NBD_CMD_READ	     0u
#define NBD_CMD_WRITE	     1u
#define NBD_CMD_DISC	     2u /* sent by nbd_close() only */
#define NBD_CMD_FLUSH	     3u
#define NBD_CMD_TRIM	     4u
#define NBD_CMD_CACHE	     5u
#define NBD_CMD_WRITE_ZEROES 6u
#define NBD_CMD_BLOCK_STATUS 7u

#define NBD_CMD_FLAG_FUA       0x0001u /* WRITE, TRIM, WRITE_ZEROES */
#define NBD_CMD_FLAG_NO_HOLE   0x0002u /* WRITE_ZEROES */
#define NBD_CMD_FLAG_DF	       0x0004u /* READ: in one piece */
#define NBD_CMD_FLAG_REQ_ONE   0x0008u /* BLOCK_STATUS: one extent */
#define NBD_CMD_FLAG_FAST_ZERO 0x0010u /* WRITE_ZEROES: ENOTSUP if slow */

/* Bits of an extent's flags in the context "base:allocation" */
#define NBD_STATE_HOLE 0x1u
#define NBD_STATE_ZERO 0x2u

/* The longest read or write, in bytes, if the server names no limit. */
#define NBD_PAYLOAD_DEFAULT (32u << 20)

/* Errors of a request, as sent by the server (proto.md, "Error values") */
enum nbd_wire_error {
	NBD_EPERM = 1,
	NBD_EIO = 5,
	NBD_ENOMEM = 12,
	NBD_EINVAL = 22, /* also any value that the protocol does not know */
	NBD_ENOSPC = 28,
	NBD_EOVERFLOW = 75,
	NBD_ENOTSUP = 95,
	NBD_ESHUTDOWN = 108, /* see nbd_must_close() */
};

/* Extents are contiguous; the first begins at the offset of the request. */
struct nbd_extent {
	uint64_t len;	/* bytes */
	uint64_t flags; /* over 32 bits with NBD_EXTENDED only */
};

/*
 * A request.  The memory that it points to belongs to the engine, which reads
 * and writes it, from nbd_submit() until nbd_reap() returns the request.
 */
struct nbd_op {
	uint16_t type;		    /* NBD_CMD_* */
	uint16_t flags;		    /* NBD_CMD_FLAG_* */
	unsigned n_iov;		    /* READ, WRITE */
	uint64_t offset, len;	    /* bytes; both 0 for FLUSH */
	const struct nbd_iov *iov;  /* n_iov pieces, len bytes in all */
	struct nbd_extent *extents; /* BLOCK_STATUS: room for max_extents */
	unsigned max_extents;	    /* at least 1 */
	void *user;		    /* for the caller alone */
};

/* Bytes start to end of a read's buffer, already received. */
struct nbd_span {
	uint32_t start, end;
};

/*
 * The received parts of a read may form this many separate islands at a time.
 * Servers send in order, or from both ends; a reply that needs more islands
 * fails with NBD_E_SCATTERED.
 */
#define NBD_SPANS 8

/* A request in flight or finished.  Read it only between reap and release. */
struct nbd_req {
	struct nbd_op op; /* as submitted */
	uint8_t slot;	  /* as returned by nbd_submit() */
	unsigned n_extents;
	/* private */
	int result;
	uint32_t gen; /* high half of the cookie */
	uint8_t state, next, n_span;
	bool sent, scattered;
	struct nbd_span span[NBD_SPANS];
	unsigned char hdr[32];
};

/* What is sent next: a byte of a piece of a request. */
struct nbd_cursor {
	/* private */
	uint8_t at;
	unsigned piece;
	size_t off;
};

/* The requests of one connection, in memory of the caller. */
struct nbd_io {
	/* private */
	const struct nbd_io_ops *ops;
	const struct nbd_format *format;
	struct nbd_req *cur;	  /* that the reply being read belongs to */
	const struct nbd_iov *to; /* where its payload goes */
	size_t to_off;
	uint32_t chunk_len, rest; /* rest: bytes, or extents, still to come */
	uint16_t chunk_flags, chunk_type;
	bool in_head, closing, leaving;
	uint8_t free, tx_first, tx_last, done_first, done_last;
	unsigned waiting, reads; /* not yet answered; how many are reads */
	struct nbd_cursor tx;
	struct nbd_req req[CONFIG_CORE_MAX_REQS + 1]; /* the last: DISC */
};

/*
 * At NBD_READY: requests will be made here.  *io need not be initialised and
 * must live as long as the client.  From now on nbd_state() means
 *	NBD_READY  a slot is free: nbd_submit()
 *	NBD_DONE   a request is finished: nbd_reap()
 *	NBD_RECV   replies are expected.  Sending and receiving may alternate
 *		   freely, but acknowledge what was sent (nbd_send_ack())
 *		   before receiving the reply to it.
 * nbd_close() queues NBD_CMD_DISC behind the other requests; the client is
 * closed when every request has been answered.
 */
void nbd_start(struct nbd_client *c, struct nbd_io *io);

/*
 * Queues a request; *op is copied, what it points to is not.  Returns its
 * slot (>= 0), or an error, and then nothing was or will be sent:
 * NBD_E_BUSY (no free slot), NBD_E_RANGE, NBD_E_ALIGN, NBD_E_PAYLOAD,
 * NBD_E_NOT_OFFERED, NBD_E_READ_ONLY, NBD_E_NO_CONTEXT, NBD_E_EMPTY,
 * NBD_E_LONG, NBD_E_SHUTDOWN (nbd_must_close()), NBD_E_PARAM, or the error
 * that closed the client.
 */
int nbd_submit(struct nbd_client *c, const struct nbd_op *op);

/*
 * A finished request, in the order in which they finished, or NULL.  Each is
 * returned once and stays valid until nbd_release().  After a failure of the
 * connection all unfinished requests are returned with its error.
 */
struct nbd_req *nbd_reap(struct nbd_client *c);
/* Gives the slot back. */
void nbd_release(struct nbd_client *c, struct nbd_req *r);

/*
 * 0; an enum nbd_wire_error (> 0); or a negative enum nbd_err: either the
 * reply was not complete (NBD_E_PARTIAL, NBD_E_SCATTERED), or the connection
 * failed, and another connection may succeed.  Unless it is 0, a read's
 * buffers are all zeroes, and there are no extents.
 */
int nbd_req_result(const struct nbd_req *r);
/* The meaning of a result of either sign.  Never NULL. */
const char *nbd_result_text(int result);

/*
 * True once the server replied ESHUTDOWN: it takes no more requests; reap,
 * then nbd_close() (proto.md, "Terminating the transmission phase").
 */
bool nbd_must_close(const struct nbd_client *c);

/* How many requests are not answered yet. */
unsigned nbd_waiting(const struct nbd_client *c);

/* The longest read or write that the server takes, in bytes. */
uint32_t nbd_max_payload(const struct nbd_client *c);

#endif
