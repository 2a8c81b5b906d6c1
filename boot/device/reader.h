/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads from a connection of our own, by the engine. */
#ifndef BOOT_DEVICE_READER_H
#define BOOT_DEVICE_READER_H

#include "core/nbd_io.h"
#include "port/dial.h"

/*
 * The state and buffer for reading from a connection.  Owned by the caller; it
 * must stay until the connection is closed, because the engine points to it.
 */
struct device_reader {
	struct nbd_io io;
	unsigned char buf[32768]; /* an identity (identity.c) in one exchange */
};

/* Before the first read; the reads of conn have DIAL_HANDSHAKE_MS in all. */
void device_reader_begin(struct device_reader *r, struct conn *conn);

/* Asks for v->len bytes at byte `offset`; v stays until device_reader_await(). */
int device_reader_submit(struct conn *conn, const struct nbd_iov *v,
			 uint64_t offset, struct nbd_diag *d);

/*
 * Waits for the replies to n requests; *failed gets an error reply, if any, and
 * is returned, too.  Else 0, or an error of the connection.
 */
int device_reader_await(struct conn *conn, unsigned n, int *failed,
			struct nbd_diag *d);

/*
 * Reads len bytes at byte `at` of the export, in whole blocks of the server's
 * minimum.  NBD_E_NO_MEMORY: those are longer than r->buf.  NBD_E_IO: an error
 * reply, or one that breaks off.
 */
int device_reader_read(struct device_reader *r, struct conn *conn, uint64_t at,
		       void *to, size_t len, struct nbd_diag *d);

#endif
