/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dialing as a URI wants it: in the clear or with TLS, and never in the clear
 * where TLS was wanted.
 */
#ifndef BOOT_DEVICE_TLS_H
#define BOOT_DEVICE_TLS_H

#include "core/nbd_uri.h"
#include "port/linux/sockdiag.h"
#include "port/mbedtls/tls.h"
#include "port/posix/dial.h"

/* Files that options name; NULL: not given.  They go before the URI's keys. */
struct tls_files {
	const char *ca, *cert, *key;
};

/* The path of a file in the directory that a URI names. */
#define DEVICE_TLS_PATH 4200

/*
 * The credentials for a server and the connections that use them.  Zeroed
 * before its first use; all of it is private.
 */
struct device_tls {
	struct nbd_tls kernel; /* for dial(): the kernel makes the records */
	struct tls_session session;
	struct tls_conf conf;
	char paths[3][DEVICE_TLS_PATH];
	/* what the handshakes go through; ciphers that the kernel lacks */
	struct sock *socks[CONFIG_PORT_MAX_CONNECTIONS];
	unsigned missing;
	uint64_t began; /* ms; the first handshake */
};

/*
 * Can it be done, as far as the URI and the files' names show?  With `kernel`
 * the connections are for the kernel.  NBD_E_USAGE: no, and d says why.
 */
int device_tls_check(const struct nbd_uri *uri, const struct tls_files *files,
		     bool kernel, struct nbd_diag *d);

/*
 * Reads the credentials of an nbds:// URI that was checked, so that
 * device_tls_dial() reads no file until device_tls_close().  The URI's strings
 * are kept till then.
 */
int device_tls_load(struct device_tls *t, const struct nbd_uri *uri,
		    const struct tls_files *files, struct nbd_diag *d);

/* Do two servers take the same credentials?  Then they can share them. */
bool device_tls_same(const struct nbd_uri *a, const struct nbd_uri *b);

/*
 * As dial() (cfg->tls is uri->tls).  Reads the credentials unless t has them.
 * With `kernel` the sockets can be handed over afterwards: the kernel encrypts
 * what is sent through them.  Without, more connections may join those that t
 * has: their conns[0].number goes on where the last one's ended.
 */
int device_tls_dial(struct device_tls *t, struct conn conns[], unsigned n,
		    const struct nbd_uri *uri, const struct nbd_config *cfg,
		    const struct tls_files *files, bool kernel,
		    struct nbd_diag *d);

/* Ends connections that are not the kernel's, forgets and wipes everything. */
void device_tls_close(struct device_tls *t);

/* The suite of a connection without `kernel`: "TLS-ECDHE-..." */
const char *device_tls_suite(const struct device_tls *t);

/* The library: "mbedTLS 2.28.3 (Debian 2.28.3-1)", or "no TLS". */
const char *device_tls_version(void);

/* "TLS 1.2" and "AES-256-GCM". */
struct device_tls_words {
	const char *version, *cipher;
};

/* What the kernel reports of a connection's TLS; false: it has none. */
bool device_tls_words(const struct sockdiag_tls *tls,
		      struct device_tls_words *w);

#endif
