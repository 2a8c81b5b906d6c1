/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device remembers of how it was connected: its backend identifier,
 * which the kernel keeps and shows in sysfs, to everybody.
 *
 *	URI[,URI...][ connections=N][ slots=N][ spread][ dead-timeout=SECONDS]
 *		[ swap][ ca=][ cert=][ key=]
 *		[ identity=]
 *
 * The URIs are canonical and in the order in which they are tried.  Paths are
 * percent-encoded where they hold blanks, controls or "%".  There are no
 * secrets in it, only the paths of files that hold some.
 */
#ifndef BOOT_DEVICE_BACKEND_H
#define BOOT_DEVICE_BACKEND_H

#include "boot/common/uris.h"
#include "boot/device/tls.h"
#include "core/nbd_uri.h"
#include "port/linux/nbdk.h"

/* Servers of one device. */
#define BACKEND_SERVERS BOOT_URIS
/* For the strings of a struct backend. */
#define BACKEND_BUF	(NBDK_BACKEND_MAX + 64)

struct backend {
	struct nbd_uri uris[BACKEND_SERVERS];
	unsigned servers;
	struct tls_files files;
	unsigned connections; /* that are wanted, at least 1 */
	unsigned slots; /* room for connections; 0: as many as are wanted */
	bool spread;	/* over all servers, in place of fail-over */
	bool swap;	/* its I/O must not wait for memory */
	/* s that I/O waits while no connection lives, -1: as long as can be */
	int dead_timeout;
	const char *identity; /* see identity.h; NULL: not compared */
};

/*
 * URIs with commas between them, into b->uris and b->servers; their strings
 * into buf.  Which commas are between them: boot_uris_first().  0, or NBD_E_URI with
 * d naming the URI and what is wrong with it.
 */
int device_backend_parse_uris(struct backend *b, char buf[BACKEND_BUF],
			      const char *text, struct nbd_diag *d);

/* Parses an identifier, its strings into buf; NBD_E_URI: it is not ours. */
int device_backend_parse(struct backend *b, char buf[BACKEND_BUF],
			 const char *text);

/* The identifier, NUL-terminated: its length, or NBD_E_NO_MEMORY. */
int device_backend_print(const struct backend *b, char *text, size_t cap);

/*
 * Makes the paths of b absolute, so that they mean the same to whoever reads
 * the identifier later.  They live in text, of cap bytes, as long as b does;
 * BACKEND_PATHS are enough for what fits an identifier.
 */
#define BACKEND_PATHS (3 * NBDK_BACKEND_MAX)
int device_backend_absolute(struct backend *b, char *text, size_t cap,
			    struct nbd_diag *d);

/* Room for connections, dead or alive. */
unsigned device_backend_slots(const struct backend *b);

#endif
