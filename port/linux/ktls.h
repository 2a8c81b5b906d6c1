/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel TLS: Linux encrypts a TCP socket after the TLS handshake. */
#ifndef PORT_LINUX_KTLS_H
#define PORT_LINUX_KTLS_H

#include "port/tls.h"

/*
 * Makes send() and recv() on the TCP socket carry plaintext.  The caller must
 * not have read past the TLS handshake.  Loads the needed modules.
 * NBD_E_TLS_KERNEL: this kernel has no TLS.  NBD_E_NOT_FOUND: it lacks this
 * cipher; retry with another one on a new connection.  After these two the
 * socket carries the caller's bytes as before; after others it is of no use.
 * NBD_E_CUT: the server has closed it.
 */
int ktls_start(int fd, const struct nbd_tls_keys *keys, struct nbd_diag *d);

/*
 * Such a socket as a transport that outlives what is no data, as the transport
 * of port/mbedtls does; but a server of TLS 1.3 that changes its key ends it
 * with NBD_E_CUT, as kernels before 6.14 cannot take another one.  The caller
 * owns it, and zeroes it before its first use.
 */
struct ktls {
	struct nbd_transport t;
	struct nbd_transport *below; /* NULL: it has no connection */
	int fd;
	bool is_13;	  /* TLS 1.3 */
	unsigned idle;	  /* records without data, in a row */
	size_t to_ignore; /* bytes of a ticket that are in later records */
	bool ended;	  /* the server said goodbye, or failed */
	int err;
};

/* Begins after ktls_start(); below reads and writes fd, and outlives it. */
void ktls_keep(struct ktls *k, struct nbd_transport *below, int fd, bool is_13);
/* Sends close_notify, if k has a connection, and ends it; fd stays open. */
void ktls_goodbye(struct ktls *k);

/* The name ("AES-256-GCM") of a TLS_CIPHER_* of linux/tls.h; NULL: unknown. */
const char *ktls_cipher(unsigned type);

#endif
