/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLS 1.2 by mbedTLS, over any transport.  The server proves itself with a
 * certificate, or both sides have a pre-shared key.  Only suites that kernel
 * TLS can take over are offered (struct nbd_tls_keys).
 */
#ifndef PORT_MBEDTLS_TLS_H
#define PORT_MBEDTLS_TLS_H

#include "port/tls.h"

/* Credentials.  Paths name PEM files; NULL stands for none. */
struct tls_conf {
	bool verify;	      /* the server's certificate, its name and dates */
	const char *ca;	      /* trusted CAs; NULL: the system's */
	const char *cert;     /* ours, for servers that ask, with its chain */
	const char *key;      /* ... and its private key, not encrypted */
	const char *psk_file; /* "user:hexkey" lines; then no certificates */
	const char *user;     /* whose key; "": the first one */
	int64_t built;	      /* s since 1970: a clock before that is wrong */
};

/*
 * One set of credentials and the connections that use it.  Zeroed before its
 * first use.  Sessions share nothing but the pool that their memory is from.
 */
struct tls_session {
	struct nbd_tls tls; /* for dial(): records are made and read here */
	/* the rest is private; NULL: not loaded, no such connection */
	struct tls_creds *creds;
	struct tls_peer *peers[CONFIG_PORT_MAX_CONNECTIONS];
};

/*
 * Reads the files that conf names.  conf and its strings are kept until
 * tls_unload(), which comes first if the session is loaded.
 * NBD_E_CREDENTIAL: a file is missing or wrong, and d names it and the reason.
 */
int tls_load(struct tls_session *s, const struct tls_conf *conf,
	     struct nbd_diag *d);
/*
 * Sets the host name or address (kept) that the certificates of connections
 * from now on must be for, and the ciphers that are not offered: a mask of
 * 1 << enum nbd_aead.  NBD_E_TLS_KERNEL: no cipher is left.
 */
int tls_aim(struct tls_session *s, const char *name, unsigned without,
	    struct nbd_diag *d);
/* Ends every connection; wipes the keys.  Does nothing if not loaded. */
void tls_unload(struct tls_session *s);

/*
 * The keys right after the handshake (step() has just returned 0), for the
 * kernel; then end the connection with tls_drop(), which sends nothing to the
 * server.  The caller wipes them.
 */
void tls_keys(const struct tls_session *s, unsigned conn,
	      struct nbd_tls_keys *keys);
void tls_drop(struct tls_session *s, unsigned conn);

/* "mbedTLS 2.28.3 (Debian 2.28.3-1)" */
extern const char tls_version[];

/* "TLS-ECDHE-RSA-WITH-AES-128-GCM-SHA256", after the handshake. */
const char *tls_suite(const struct tls_session *s, unsigned conn);

#endif
