/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to core/: the transmission phase. */
#ifndef NBD_CORE_IO_H
#define NBD_CORE_IO_H

#include "core/be.h"
#include "core/core.h"
#include "core/nbd_io.h"
#include "core/wire.h"

/* Ends the lists of slots. */
#define NO_SLOT 0xffu

/*
 * FREE --submit--> QUEUED --header sent--> ASKED --last reply--> ANSWERED
 *   ^                                                                |
 *   '-release-- REAPED <--reap-- FINISHED <--once all of it is sent--'
 */
enum req_state {
	REQ_FREE,
	REQ_QUEUED,
	REQ_ASKED,
	REQ_ANSWERED, /* a write refused before all its payload was sent */
	REQ_FINISHED,
	REQ_REAPED,
};

/* How compact and extended headers differ. */
struct nbd_format {
	uint32_t request_magic;
	uint8_t request_size;
	uint8_t extent_shift; /* log2 of an extent's bytes on the wire */
	uint16_t status_type;
	/* Writes the length of a request at p: 32 or 64 bits. */
	void (*put_len)(unsigned char *p, uint64_t len);
	/* Awaits the head of a reply. */
	void (*await)(struct nbd_client *c);
};

/*
 * Calls go one way: reply.c, extended.c --> chunk.c, status.c --> request.c.
 * request.c calls back through struct nbd_format only.
 */

/* request.c */
/* Installs *io, without any request yet. */
void nbd_io_init(struct nbd_client *c, struct nbd_io *io,
		 const struct nbd_format *format);
/* The request that a reply belongs to; NULL if none such is waiting. */
struct nbd_req *nbd_find(const struct nbd_client *c, uint64_t cookie);
/*
 * The chunk is over; if it has NBD_REPLY_DONE, so is the request io->cur.
 * Awaits the next reply.
 */
void nbd_end_chunk(struct nbd_client *c) NBD_INTERNAL;

/* chunk.c */
/* The payload of all of io->cur follows. */
void nbd_whole_read(struct nbd_client *c);
void nbd_data_chunk(struct nbd_client *c);
void nbd_hole_chunk(struct nbd_client *c);

/* status.c, which is not linked where no request can be one for block status */
#ifdef CONFIG_CORE_STATUS
#define HAS_STATUS true
#else
#define HAS_STATUS false
#endif
void nbd_status_chunk(struct nbd_client *c);

/* reply.c */
/* A chunk's head was read: io->cur, chunk_flags, chunk_type, chunk_len. */
void nbd_chunk(struct nbd_client *c);

#endif
