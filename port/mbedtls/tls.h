/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLS 1.2 by mbedTLS, over any transport.  Servers show a certificate, or both
 * sides have a pre-shared key.  Suites are those that the kernel can go on
 * with (struct nbd_tls_keys).
 */
#ifndef PORT_MBEDTLS_TLS_H
#define PORT_MBEDTLS_TLS_H

#include "port/tls.h"

/* Paths are of PEM files; NULL stands for none. */
struct tls_conf {
	unsigned connections; /* at once, at most */
	bool verify;	      /* the server's certificate, its name and dates */
	const char *name;     /* the host name or address it must be for */
	const char *ca;	      /* trusted CAs; NULL: the system's */
	const char *cert;     /* ours, for servers that ask, with its chain */
	const char *key;      /* ... and its private key, not encrypted */
	const char *psk_file; /* "user:hexkey" lines; then no certificates */
	const char *user;     /* whose key; "": the first one */
	unsigned without;     /* 1 << enum nbd_aead: not to be offered */
	int64_t built;	      /* s since 1970: no clock is right before that */
};

/*
 * Reads what conf names, once for all connections; strings are kept until
 * tls_unload().  NBD_E_CREDENTIAL: a file is missing or wrong, and d says
 * which and why.
 */
int tls_load(const struct tls_conf *conf, struct nbd_diag *d);
/*
 * For another server, or without another cipher: the credentials stay those of
 * tls_load(), what conf says of files does not count.
 */
int tls_again(const struct tls_conf *conf, struct nbd_diag *d);
/* Stops every connection; forgets and wipes the keys. */
void tls_unload(void);

/* For dial(): records are made and read here. */
extern struct nbd_tls tls_records;

/*
 * The keys right after the handshake (step() has just returned 0), for
 * whoever takes the connection over; then stop it with tls_drop(), which says
 * nothing to the server.  The caller wipes them.
 */
void tls_keys(unsigned conn, struct nbd_tls_keys *keys);
void tls_drop(unsigned conn);

/* "TLS-ECDHE-RSA-WITH-AES-128-GCM-SHA256", after the handshake. */
const char *tls_suite(unsigned conn);

#endif
