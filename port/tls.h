/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLS types that the ports share.  One port does the handshake, another dials,
 * and a third gives the keys to the kernel; none of them includes the others.
 */
#ifndef NBD_TLS_H
#define NBD_TLS_H

#include "port/port.h"

/* Ciphers that Linux kernel TLS supports, too. */
enum nbd_aead {
	NBD_AES_128_GCM,
	NBD_AES_256_GCM,
	NBD_CHACHA20_POLY1305,
	NBD_AEADS
};

/* One direction of a connection. */
struct nbd_tls_key {
	unsigned char key[32]; /* AES-128: the first 16 */
	unsigned char iv[12];  /* TLS 1.2 with GCM: the first 4, the salt */
	uint64_t seq;	       /* number of the next record */
};

/* Secret: the owner of each copy wipes it. */
struct nbd_tls_keys {
	enum nbd_aead aead;
	bool is_13; /* TLS 1.3 */
	struct nbd_tls_key tx, rx;
};

/* Types of records, RFC 5246, 6.2.1. */
enum { NBD_TLS_ALERT = 21, NBD_TLS_HANDSHAKE = 22, NBD_TLS_DATA = 23 };
/* RFC 5246, 7.2: the alert of a side that ends, and the level of a harmless one */
#define NBD_TLS_CLOSE_NOTIFY 0
#define NBD_TLS_WARNING	     1
/* A server that sends more records without data in a row keeps us busy. */
#define NBD_TLS_IDLE_MAX     3
/* TLS 1.3: it may send some tickets at once. */
#define NBD_TLS_IDLE_MAX_13  16

/*
 * What a record of TLS 1.2 that is no data means once the handshake is over: 0,
 * ignore it; NBD_TLS_GOODBYE, the server has ended; NBD_E_TLS, a failure.
 */
#define NBD_TLS_GOODBYE 1
int nbd_tls_other(unsigned type, const unsigned char *p, size_t len);

/*
 * The same of TLS 1.3, and what changes a key: NBD_TLS_NEW_KEY, the server's,
 * or NBD_TLS_NEW_KEYS, ours too.  Tickets are ignored.  One that does not end
 * with this text goes on in the next: *to_ignore, 0 at first, counts the bytes.
 */
#define NBD_TLS_NEW_KEY	 2
#define NBD_TLS_NEW_KEYS 3
int nbd_tls_other_13(unsigned type, const unsigned char *p, size_t len,
		     size_t *to_ignore);

/*
 * TLS for the connections of one dial(), numbered from 0 to
 * CONFIG_PORT_MAX_CONNECTIONS - 1.
 */
struct nbd_tls {
	/* Begins a handshake over `below`, which outlives the connection. */
	int (*start)(struct nbd_tls *tls, unsigned conn,
		     struct nbd_transport *below, struct nbd_diag *d);
	/*
	 * Continues as far as possible without waiting.  NBD_SEND or NBD_RECV:
	 * call again when that is possible.  0: done.  A negative enum
	 * nbd_err: failed, and d says why.
	 */
	int (*step)(struct nbd_tls *tls, unsigned conn, struct nbd_diag *d);
	/* After step() returned 0: the transport for plaintext. */
	struct nbd_transport *(*transport)(struct nbd_tls *tls, unsigned conn);
	/* Wipes and frees; sends close_notify if the handshake was done. */
	void (*stop)(struct nbd_tls *tls, unsigned conn);
};

#endif
