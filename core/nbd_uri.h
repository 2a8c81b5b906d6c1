/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NBD URIs: the parser and the printer (doc/uri.md of the NBD specification;
 * RFC 3986 for the syntax, RFC 6874 for IPv6 zones).
 */
#ifndef NBD_URI_H
#define NBD_URI_H

#include "core/nbd_err.h"

#include <stddef.h>
#include <stdint.h>

/* The port of nbd:// and nbds:// (IANA). */
#define NBD_PORT 10809u

enum nbd_tls_type { NBD_TLS_ANY, NBD_TLS_ANON, NBD_TLS_X509, NBD_TLS_PSK };

/*
 * A parsed URI.  Strings are percent-decoded, NUL-terminated and live in the
 * buffer that was given to nbd_uri_parse(); "" where the URI has none, never
 * NULL.  None contains a NUL, except that the name of an abstract socket
 * begins with one.  A host name has at most 255 bytes.  The name, the user and
 * the paths may contain any other byte: escape them when printing.
 */
struct nbd_uri {
	bool tls;	    /* nbds, nbds+unix */
	bool is_unix;	    /* nbd+unix, nbds+unix: socket, not host and port */
	uint16_t port;	    /* 1 to 65535, NBD_PORT unless given */
	const char *host;   /* letters, digits, "-._~", no leading "-"; or */
			    /* IPv6 without brackets, perhaps with %zone */
	const char *user;   /* TLS user name */
	const char *socket; /* path; an abstract one starts with a NUL */
	size_t socket_len;  /* bytes, without the closing NUL */
	const char *name;   /* export name: the path less ONE leading slash */
	size_t name_len;    /* bytes, at most NBD_STRING_MAX */
	enum nbd_tls_type tls_type;
	int tls_verify_peer;	      /* 0, 1, or -1: not given */
	const char *tls_hostname;     /* name to verify in place of host */
	const char *tls_certificates; /* directory (libnbd's key) */
	const char *tls_psk_file;     /* path (libnbd's key) */
	/* after NBD_E_URI: what is wrong, and at which offset of the text */
	const char *wrong;
	size_t wrong_at;
};

/*
 * Parses the NUL-terminated text into *u, its strings into buf (cap bytes; a
 * buffer of strlen(text) always suffices).  Returns 0, NBD_E_URI with u->wrong
 * (a constant, "a port that is not 1 to 65535") and u->wrong_at set, or
 * NBD_E_NO_MEMORY.  After a failure the other fields are undefined.
 *
 * Strict: what RFC 3986 wants percent-encoded must be.  Also rejected are a
 * fragment, a password, a TCP URI without a host, a UNIX one with a host or
 * without socket=, and a key that is unknown, without a value or given twice.
 * The slashes of nbd+unix:// may be left out, as RFC 3986 allows.
 */
int nbd_uri_parse(struct nbd_uri *u, char *buf, size_t cap, const char *text);

/* An empty nbd://: the default of every field; the host is missing. */
void nbd_uri_init(struct nbd_uri *u);

/*
 * Checks the fields of a URI for TCP that were not set by nbd_uri_parse(): the
 * host, tls_hostname and name_len.  Returns 0, or NBD_E_URI with u->wrong set.
 */
int nbd_uri_check(struct nbd_uri *u);

/* Why text is neither the name of a host nor an address, or NULL. */
const char *nbd_host_wrong(const char *text);

/* The byte that the two hex digits at p stand for; -1 if they are not both. */
int nbd_hex_byte(const char *p);

/*
 * The next byte of a percent-encoded text: *p points to "%41" or to a
 * character that stands for itself, and is moved past it.  -1 if *p points to
 * a "%" without two hex digits.
 */
int nbd_percent_next(const char **p);

/*
 * Writes c percent-encoded ("%41"), or as it is if it stands for itself in every
 * part of a URI (RFC 3986, 2.3).  Returns the number of bytes, 3 or 1.
 */
unsigned nbd_percent_put(char out[3], char c);

/* True if text begins with nbd: nbds: nbd+unix: or nbds+unix: in any case. */
bool nbd_is_uri(const char *text);

/*
 * The domain of a host that names a service, "example" of "_nbd._tcp.example"
 * (RFC 2782), or NULL.
 */
const char *nbd_uri_service(const char *host);

/*
 * Writes the canonical URI, NUL-terminated: scheme in lower case, default port
 * left out, a slash after the host, brackets where needed, keys in the order
 * of the fields, percent-encoding only where it is required.  Parsing it again
 * gives the same fields.  Returns its length, or NBD_E_NO_MEMORY.
 */
int nbd_uri_print(const struct nbd_uri *u, char *buf, size_t cap);

#endif
