/* SPDX-License-Identifier: BSD-2-Clause */
/* Credentials: files, keys in them, and the names of certificates. */
#ifndef PORT_MBEDTLS_CREDS_H
#define PORT_MBEDTLS_CREDS_H

#include "port/port.h"

/* The longest pre-shared key and user name, as mbedTLS has them at most. */
#define CREDS_PSK_MAX  64
#define CREDS_USER_MAX 128

struct creds_psk {
	unsigned char key[CREDS_PSK_MAX];
	size_t len;
	char user[CREDS_USER_MAX + 1];
};

/*
 * Reads a whole file into memory that the next call overwrites, with a NUL
 * behind it; *text is where.  Returns its length, or NBD_E_CREDENTIAL.  A
 * secret file is refused if its group or others can read or write it.
 */
int creds_read(const char *path, bool secret, char **text, struct nbd_diag *d);
/* Wipes what creds_read() read last. */
void creds_wipe(void);

/*
 * Finds a user ("": the first) among lines "user:hexkey" of len bytes of
 * text; # begins a comment.  False if there is no such line, or no right one.
 */
bool creds_find_psk(struct creds_psk *psk, const char *text, size_t len,
		    const char *user);

/*
 * Is the DNS name of a certificate (len bytes, untrusted) for this host?  Its
 * leftmost label may be *, which stands for exactly one label; case does not
 * count (RFC 6125, section 6.4).
 */
bool creds_match_name(const unsigned char *name, size_t len, const char *host);

/* The host that a certificate must be for: a name or an address. */
struct creds_host {
	const char *name;
	unsigned char ip[16];
	size_t ip_len; /* 4, 16, or 0: it is a name */
};

/* name is kept; the zone of an address does not count. */
void creds_host(struct creds_host *h, const char *name);
/*
 * Is a name of a certificate, or with `address` the bytes of an address, that
 * of the host?  Appends it to o, for messages.
 */
bool creds_is_host(const struct creds_host *h, const unsigned char *p,
		   size_t len, bool address, struct nbd_out *o);

/* The system's bundle of CA certificates, NULL if there is none. */
const char *creds_system_ca(void);

/* Random bytes of the kernel, as soon as it has good ones. */
bool creds_random(unsigned char *p, size_t len);

#endif
