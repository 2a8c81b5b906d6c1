/* SPDX-License-Identifier: BSD-2-Clause */
/* What a URI and options say about TLS: whether, and with which credentials. */
#ifndef BOOT_WORDS_URI_TLS_H
#define BOOT_WORDS_URI_TLS_H

#include "core/nbd_uri.h"
#include "port/mbedtls/tls.h"

/* Files from options; NULL: not given.  They take precedence over the URI. */
struct tls_files {
	const char *ca, *cert, *key;
};

/* Bytes for the path of a file in the directory that a URI names. */
#define BOOT_TLS_PATH 4200

struct boot_tls_paths {
	char path[3][BOOT_TLS_PATH]; /* private */
};

/*
 * Checks that the URI and the options agree, without opening a file.
 * NBD_E_USAGE: they contradict each other or ask for something unsupported, and
 * d says why.
 */
int boot_tls_check(const struct nbd_uri *uri, const struct tls_files *files,
		   struct nbd_diag *d);

/* Do two servers need the same credentials?  Then they can share them. */
bool boot_tls_same(const struct nbd_uri *a, const struct nbd_uri *b);

/*
 * Fills in *conf, for tls_load(), from an nbds:// URI that boot_tls_check()
 * accepted.  A key or certificate of ours that its directory lacks is that of
 * the machine (credential.h).  It points into p and to the strings of the URI.
 */
int boot_tls_conf(struct tls_conf *conf, struct boot_tls_paths *p,
		  const struct nbd_uri *uri, const struct tls_files *files,
		  struct nbd_diag *d);

/* The name that the server's certificate must have; of a service its domain. */
const char *boot_tls_name(const struct nbd_uri *uri);

#endif
