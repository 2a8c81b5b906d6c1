/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLS 1.2 and 1.3 with mbedTLS, over any transport.  The server proves its
 * identity with a certificate, or both sides have a pre-shared key.  Only suites
 * that kernel TLS can take over are offered (struct nbd_tls_keys).
 */
#ifndef PORT_MBEDTLS_TLS_H
#define PORT_MBEDTLS_TLS_H

#include "port/tls.h"

/* Credentials.  Paths name PEM files; NULL stands for none. */
struct tls_conf {
	bool verify;	      /* the server's certificate, its name and dates */
	const char *ca;	      /* trusted CAs; NULL: the system's */
	const char *cert;     /* our client certificate, with its chain */
	const char *key;      /* ... and its private key, not encrypted */
	const char *psk_file; /* "user:hexkey" lines; excludes certificates */
	const char *user;     /* whose key; "": the first one */
	int64_t built;	      /* s since 1970: an earlier clock is wrong */
};

/*
 * One set of credentials and the connections that use it.  The caller zeroes
 * it before its first use.  Sessions share only the memory pool (pool.h).
 */
struct tls_session {
	struct nbd_tls tls; /* for dial(): mbedTLS encrypts, not the kernel */
	/*
	 * Since tls_aim() with TLS_ONLY_12 a handshake has failed as it does
	 * with a server that has TLS 1.3 alone: without that it may succeed.
	 */
	bool lacks_12;
	/* the rest is private; NULL: not loaded, or no such connection */
	struct tls_creds *creds;
	struct tls_peer *peers[CONFIG_PORT_MAX_CONNECTIONS];
};

/*
 * Reads the files that conf names.  conf and its strings must stay valid until
 * tls_unload().  A session that is loaded already is unloaded first.
 * NBD_E_CREDENTIAL: a file is missing or wrong, and d names it and the reason.
 */
int tls_load(struct tls_session *s, const struct tls_conf *conf,
	     struct nbd_diag *d);
/* In the mask of tls_aim(): TLS 1.3 is not offered. */
#define TLS_ONLY_12 (1u << NBD_AEADS)

/*
 * For later connections: name (kept) is the host name or address that the
 * server's certificate must have; without is a mask of 1 << enum nbd_aead, the
 * ciphers that are not offered, and TLS_ONLY_12.  NBD_E_TLS_KERNEL: no cipher
 * is left.
 */
int tls_aim(struct tls_session *s, const char *name, unsigned without,
	    struct nbd_diag *d);
/* Ends every connection; wipes the keys.  Does nothing if not loaded. */
void tls_unload(struct tls_session *s);

/*
 * Fills in the keys for kernel TLS; the caller wipes them.  Valid only right
 * after step() returned 0, before any record is sent or received.  Then call
 * tls_drop(), which frees the connection and sends nothing to the server.
 * False: out of memory.
 */
bool tls_keys(const struct tls_session *s, unsigned conn,
	      struct nbd_tls_keys *keys);
void tls_drop(struct tls_session *s, unsigned conn);

/*
 * After step() returned 0: does kernel TLS encrypt this connection faster than
 * its transport?  It takes 3 times as many instructions for ChaCha20-Poly1305
 * here; AES-GCM takes fewer.
 */
bool tls_is_slow(const struct tls_session *s, unsigned conn);
/*
 * In place of tls_drop() after tls_keys(): forgets the keys and sends nothing,
 * but tls_suite() and tls_protocol() still answer until stop().
 */
void tls_release(struct tls_session *s, unsigned conn);

/* "Mbed TLS 3.6.6 (Debian 3.6.6-0.1)" */
extern const char tls_version[];

/* After the handshake: "TLS-ECDHE-RSA-WITH-AES-128-GCM-SHA256" or another. */
const char *tls_suite(const struct tls_session *s, unsigned conn);
/* "TLS 1.2" or "TLS 1.3", likewise. */
const char *tls_protocol(const struct tls_session *s, unsigned conn);

#endif
