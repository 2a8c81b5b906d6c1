/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dials as the URI demands: in the clear or with TLS, and never in the clear if
 * it demands TLS.
 */
#ifndef BOOT_DEVICE_TLS_H
#define BOOT_DEVICE_TLS_H

#include "boot/words/uri_tls.h"
#include "port/linux/ktls.h"
#include "port/linux/sockdiag.h"
#include "port/posix/sock.h"
#include "port/dial.h"

/*
 * The credentials for a server and the connections that use them.  Zeroed
 * before its first use; all of it is private.
 */
struct device_tls {
	struct nbd_tls tls; /* for dial(): the kernel may make the records */
	struct tls_session session;
	struct tls_conf conf;
	struct boot_tls_paths paths;
	struct sock *socks[CONFIG_PORT_MAX_CONNECTIONS]; /* of handshakes */
	/* their records, made by the kernel; below is NULL if not */
	struct ktls kept[CONFIG_PORT_MAX_CONNECTIONS];
	unsigned missing; /* ciphers that the kernel lacks, a mask */
	bool no_kernel;	  /* it takes no keys, of what is kept */
	uint64_t began;	  /* ms; start of the first handshake */
	/*
	 * The owner may set it before device_tls_dial() without `kernel`: the
	 * connections move much.  The kernel makes the records where it is
	 * faster and able to.
	 */
	bool bulk;
};

/*
 * Checks that the URI and the options agree, without opening a file.  `kernel`:
 * the connections are for the kernel.  NBD_E_USAGE: they contradict each other
 * or ask for something unsupported, and d says why.
 */
int device_tls_check(const struct nbd_uri *uri, const struct tls_files *files,
		     bool kernel, struct nbd_diag *d);

/*
 * Reads the credentials of an nbds:// URI that device_tls_check() accepted, so
 * that device_tls_dial() reads no file until device_tls_close().  The URI's
 * strings must stay valid until then.
 */
int device_tls_load(struct device_tls *t, const struct nbd_uri *uri,
		    const struct tls_files *files, struct nbd_diag *d);

/*
 * Like dial() (cfg->tls is uri->tls).  Reads the credentials unless t has them.
 * With `kernel`, kernel TLS encrypts, and the sockets can be handed over.  TLS
 * 1.3 is then for servers that have nothing else: nbd.ko cannot take a new key,
 * and a server of TLS 1.3 that sends one ends the connection.
 * Without it, t may have connections already: conns[0].number then continues
 * after the last of them.
 */
int device_tls_dial(struct device_tls *t, struct conn conns[], unsigned n,
		    const struct nbd_uri *uri, const struct nbd_config *cfg,
		    const struct tls_files *files, bool kernel,
		    struct nbd_diag *d);

/* Ends the connections that were not made for the kernel; wipes everything. */
void device_tls_close(struct device_tls *t);

/* The suite ("TLS-ECDHE-...") of the connections made without `kernel`. */
const char *device_tls_suite(const struct device_tls *t);
/* "TLS 1.2" or "TLS 1.3", likewise. */
const char *device_tls_protocol(const struct device_tls *t);

/* The CA certificates of this system, used where none are named; or NULL. */
const char *device_tls_ca(void);

/* The library: "Mbed TLS 3.6.6 (Debian 3.6.6-0.1)", or "no TLS". */
const char *device_tls_version(void);

/* For people: "TLS 1.2" and "AES-256-GCM". */
struct device_tls_words {
	const char *version, *cipher;
};

/* Names a connection's TLS as the kernel reports it; false: it has none. */
bool device_tls_words(const struct sockdiag_tls *tls,
		      struct device_tls_words *w);

#endif
