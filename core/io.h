/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the transmission phase: request.c, reply.c and what they use. */
#ifndef NBD_CORE_IO_H
#define NBD_CORE_IO_H

#include "core/be.h"
#include "core/core.h"
#include "core/nbd_io.h"
#include "core/wire.h"

/* Ends the lists of slots. */
#define NO_SLOT 0xffu

/*
 * free --submit--> QUEUED --header out--> ASKED --last reply--> ANSWERED
 *   ^                                                               |
 *   '-release-- REAPED <--reap-- FINISHED <--when all is sent too --'
 */
enum req_state {
	REQ_FREE,
	REQ_QUEUED,
	REQ_ASKED,
	REQ_ANSWERED, /* but its payload is not out yet: a write refused */
	REQ_FINISHED,
	REQ_REAPED,
};

/* What compact and extended headers have different. */
struct nbd_format {
	uint32_t request_magic;
	uint8_t request_size;
	uint8_t extent_shift; /* log2 of its bytes in a status chunk */
	uint16_t status_type;
	/* Writes the length of a request at p, whatever follows its offset. */
	void (*put_len)(unsigned char *p, uint64_t len);
	/* Awaits the head of a reply. */
	void (*await)(struct nbd_client *c);
};

/* reply.c */
extern const struct nbd_format nbd_compact NBD_INTERNAL;
/* The request that a reply belongs to; NULL: no such one is waiting. */
struct nbd_req *nbd_find(const struct nbd_client *c, uint64_t cookie);
/* Awaits the next reply, if there is any to come. */
void nbd_await_head(struct nbd_client *c);
/* A chunk's head was read: io->cur, chunk_flags, chunk_type, chunk_len. */
void nbd_chunk(struct nbd_client *c);
/* The chunk is over. */
void nbd_end_chunk(struct nbd_client *c) NBD_INTERNAL;

/* request.c */
/* io->cur has its last reply. */
void nbd_answered(struct nbd_client *c);

/* chunk.c */
/* Payload for all of io->cur's buffers is what comes next. */
void nbd_whole_read(struct nbd_client *c);
void nbd_data_chunk(struct nbd_client *c);
void nbd_hole_chunk(struct nbd_client *c);
/* True if every byte of a read is there. */
bool nbd_is_covered(const struct nbd_req *r);

/* status.c */
void nbd_status_chunk(struct nbd_client *c);

#endif
