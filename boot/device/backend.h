/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backend identifier records how a device was connected.  The kernel keeps
 * it and shows it in sysfs to all users.
 *
 *	URI[,URI...][ connections=N][ slots=N][ spread][ dead-timeout=SECONDS]
 *		[ swap][ no-go][ ca=][ cert=][ key=]
 *		[ identity=]
 *
 * The URIs are canonical and in the order in which they are tried.  Paths are
 * percent-encoded where they contain blanks, control characters or "%".  The
 * identifier contains no secrets, only the paths of files with secrets.
 */
#ifndef BOOT_DEVICE_BACKEND_H
#define BOOT_DEVICE_BACKEND_H

#include "boot/words/uris.h"
#include "boot/device/tls.h"
#include "core/nbd_uri.h"
#include "port/linux/nbdk.h"

/* The most servers that one device can have. */
#define BACKEND_SERVERS BOOT_URIS
/* Bytes that the strings of a struct backend need at most. */
#define BACKEND_BUF	(NBDK_BACKEND_MAX + 64)

struct backend {
	struct nbd_uri uris[BACKEND_SERVERS];
	unsigned servers;
	struct tls_files files;
	unsigned connections; /* wanted, at least 1 */
	unsigned slots;	      /* room for connections; 0: same as connections */
	unsigned port;	      /* local, of the first connection; 0: any */
	bool spread;	      /* over all servers, instead of fail-over */
	bool swap;	      /* its I/O must not wait for memory */
	bool no_go;	      /* only NBD_OPT_EXPORT_NAME: struct nbd_config */
	/* s that I/O waits while no connection lives; -1: the longest time */
	int dead_timeout;
	const char *identity; /* see identity.h; NULL: not compared */
};

/*
 * Parses URIs with commas between them into b->uris and b->servers; their
 * strings go into buf.  boot_uris_first() defines which commas separate URIs.
 * Returns 0, or NBD_E_URI with the URI and its mistake in d.
 */
int device_backend_parse_uris(struct backend *b, char buf[BACKEND_BUF],
			      const char *text, struct nbd_diag *d);

/* Parses an identifier, with its strings in buf; NBD_E_URI: it is not ours. */
int device_backend_parse(struct backend *b, char buf[BACKEND_BUF],
			 const char *text);

/*
 * Writes the identifier and a NUL to text.  Returns its length, or
 * NBD_E_NO_MEMORY if it does not fit.
 */
int device_backend_print(const struct backend *b, char *text, size_t cap);

/*
 * Makes the paths of b absolute, so that they stay valid in a process with
 * another working directory.  b then points into text (cap bytes), which must
 * live as long as b; BACKEND_PATHS bytes are enough for any identifier.
 */
#define BACKEND_PATHS (3 * NBDK_BACKEND_MAX)
int device_backend_absolute(struct backend *b, char *text, size_t cap,
			    struct nbd_diag *d);

/* The number of slots for connections, dead or live. */
unsigned device_backend_slots(const struct backend *b);

#endif
