/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dialing as a URI wants it: in the clear, or with TLS, and never in the clear
 * where TLS was wanted.
 */
#ifndef BOOT_DEVICE_TLS_H
#define BOOT_DEVICE_TLS_H

#include "core/nbd_uri.h"
#include "port/linux/sockdiag.h"
#include "port/posix/dial.h"

/* Files named by options; NULL: not given.  They go before the URI's keys. */
struct tls_files {
	const char *ca, *cert, *key;
};

/*
 * As dial() (cfg->tls says what uri->tls says).  With `kernel` the sockets can
 * be handed over afterwards: the kernel encrypts what is sent through them.
 * At the end device_tls_close(), after failures too.  More connections to the same
 * server may follow, without `kernel`: conns[0].number is how many there are.
 */
int device_tls_dial(struct conn conns[], unsigned n, const struct nbd_uri *uri,
		    const struct nbd_config *cfg, const struct tls_files *files,
		    bool kernel, struct nbd_diag *d);

/*
 * Reads the credentials of a URI once and for all: from then on device_tls_dial()
 * uses them for every nbds:// URI and reads no file, and device_tls_close() keeps
 * them.
 */
int device_tls_keep(const struct nbd_uri *uri, const struct tls_files *files,
		    struct nbd_diag *d);

/* What a connection without `kernel` is secured by: "TLS 1.2, TLS-ECDHE..." */
const char *device_tls_suite(void);

/* "TLS 1.2" and "AES-256-GCM". */
struct device_tls_words {
	const char *version, *cipher;
};

/* What the kernel says of a connection's TLS; false: there is none. */
bool device_tls_words(const struct sockdiag_tls *tls,
		      struct device_tls_words *w);

/* Forgets and wipes all credentials; connections without `kernel` end. */
void device_tls_close(void);

#endif
