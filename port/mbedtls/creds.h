/* SPDX-License-Identifier: BSD-2-Clause */
/* Pre-shared keys in files, and the names of certificates. */
#ifndef PORT_MBEDTLS_CREDS_H
#define PORT_MBEDTLS_CREDS_H

#include "port/credentials.h"
#include "port/ip.h"

/* Bytes: the longest pre-shared key and user name that mbedTLS accepts. */
#define CREDS_PSK_MAX  64
/* Bytes: who sees a handshake can try all keys that are shorter (RFC 9257). */
#define CREDS_PSK_MIN  16
#define CREDS_USER_MAX 128

struct creds_psk {
	unsigned char key[CREDS_PSK_MAX];
	size_t len;
	char user[CREDS_USER_MAX + 1];
};

/*
 * Finds a user ("": the first one) in len bytes of text with "user:hexkey"
 * lines; # begins a comment.  False: no well-formed line has that user.
 */
bool creds_find_psk(struct creds_psk *psk, const char *text, size_t len,
		    const char *user);

/*
 * Does the DNS name of a certificate (len bytes, untrusted) match this host?
 * Its leftmost label may be *, which matches exactly one label; case is ignored
 * (RFC 6125, section 6.4).
 */
bool creds_match_name(const unsigned char *name, size_t len, const char *host);

/* The host that a certificate must name: a DNS name or an IP address. */
struct creds_host {
	const char *name;
	struct nbd_ip ip; /* none: the host is a name */
};

/* Fills *h.  Keeps the pointer name; ignores the zone of an address. */
void creds_host(struct creds_host *h, const char *name);
/*
 * Is this name in a certificate (with `address`: the bytes of an IP address)
 * that of the host?  Appends it to o, for messages.
 */
bool creds_is_host(const struct creds_host *h, const unsigned char *p,
		   size_t len, bool address, struct nbd_out *o);

/*
 * True if the host is an address, and the name is that address as text: such a
 * certificate fits no host.
 */
bool creds_names_address(const struct creds_host *h, const unsigned char *p,
			 size_t len);

#endif
