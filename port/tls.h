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

/* One direction of a TLS 1.2 connection. */
struct nbd_tls_key {
	unsigned char key[32]; /* AES-128: the first 16 */
	unsigned char iv[12];  /* GCM: the first 4, the salt */
	uint64_t seq;	       /* number of the next record */
};

/* Secret: the owner of each copy wipes it. */
struct nbd_tls_keys {
	enum nbd_aead aead;
	struct nbd_tls_key tx, rx;
};

/*
 * TLS for the connections of one dial(), numbered from 0 to
 * CONFIG_PORT_MAX_CONNECTIONS - 1.
 */
struct nbd_tls {
	/* Begins a handshake over `below`, which outlives the connection. */
	int (*start)(struct nbd_tls *s, unsigned conn,
		     struct nbd_transport *below, struct nbd_diag *d);
	/*
	 * Continues as far as possible without waiting.  NBD_SEND or NBD_RECV:
	 * call again when that is possible.  0: done.  A negative enum
	 * nbd_err: failed, and d says why.
	 */
	int (*step)(struct nbd_tls *s, unsigned conn, struct nbd_diag *d);
	/* After step() returned 0: the transport for plaintext. */
	struct nbd_transport *(*transport)(struct nbd_tls *s, unsigned conn);
	/* Wipes and frees; sends close_notify if the handshake was done. */
	void (*stop)(struct nbd_tls *s, unsigned conn);
};

#endif
