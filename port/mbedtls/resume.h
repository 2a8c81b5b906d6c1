/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to port/mbedtls: a session of TLS 1.2 is continued on later
 * connections, by a ticket (RFC 5077) or its number (RFC 5246, 7.3), which
 * saves an exchange, and the server a signature.  A server that does not know
 * the session any more makes a full handshake of the same connection.
 *
 * One session is kept for each set of credentials, whose CAs and client
 * certificate it so has.  It stands for a certificate that was verified by
 * them, for the name and ciphers of tls_aim(); another name or mask ends it,
 * and so do the first end of a certificate of that chain, a day, a clock that
 * went back, and a handshake that did not end well with it.  Nothing is kept of
 * pre-shared keys, whose handshake has no signature, and of TLS 1.3.
 */
#ifndef PORT_MBEDTLS_RESUME_H
#define PORT_MBEDTLS_RESUME_H

#include "port/mbedtls/mbed.h"

#ifdef CONFIG_PORT_TLS_RESUME

/* For new credentials: a server is asked for tickets only if we use them. */
void resume_init(struct tls_creds *c);
/* Before a handshake: offers the session, if there is one that fits. */
void resume_offer(struct tls_peer *p);
/*
 * After a handshake without a fault, a full one: keeps its session.  Without
 * memory for it there is none.
 */
void resume_keep(struct tls_peer *p);
/* Wipes the session, if there is one. */
void resume_forget(struct tls_creds *c);

#else

static inline void resume_init(struct tls_creds *c)
{
	(void)c;
}

static inline void resume_offer(struct tls_peer *p)
{
	(void)p;
}

static inline void resume_keep(struct tls_peer *p)
{
	(void)p;
}

static inline void resume_forget(struct tls_creds *c)
{
	(void)c;
}

#endif
#endif
