/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session of TLS 1.2 that is continued on later connections.
 *
 *   full handshake --keep--> session --offer--> shorter handshakes
 *                               '--another name, too old, failed--> forgotten
 */
#include "port/mbedtls/resume.h"
#include "port/mbedtls/tls13.h"

#include <string.h>
#include <time.h>

/* s: a session is continued for at most so long (RFC 5246, F.1.4). */
#define RESUME_MAX (24 * 60 * 60)

/* Made by a full handshake alone, so nothing prolongs what that has proved. */
struct resume {
	mbedtls_ssl_session saved; /* without the certificate */
	mbedtls_x509_time until;   /* the first end in its chain */
	time_t since;		   /* the certificate was verified */
	char name[256];		   /* ... for this host */
	unsigned without;	   /* ... and these ciphers: see tls_aim() */
};

static bool fits(const struct tls_creds *c)
{
	const struct resume *r = c->resume;
	time_t now = time(NULL);

	return now >= r->since && now - r->since < RESUME_MAX &&
	       !mbedtls_x509_time_is_past(&r->until) &&
	       r->without == c->without && !strcmp(r->name, c->host.name);
}

void resume_init(struct tls_creds *c)
{
	mbedtls_ssl_conf_session_tickets(
		&c->ssl, c->conf->verify && !c->psk
				 ? MBEDTLS_SSL_SESSION_TICKETS_ENABLED
				 : MBEDTLS_SSL_SESSION_TICKETS_DISABLED);
}

void resume_offer(struct tls_peer *p)
{
	struct tls_creds *c = p->session->creds;

	if (c->resume && !fits(c))
		resume_forget(c);
	p->offered = c->resume &&
		     !mbedtls_ssl_set_session(&p->ssl, &c->resume->saved);
}

void resume_keep(struct tls_peer *p)
{
	struct tls_creds *c = p->session->creds;
	mbedtls_ssl_session *from = p->ssl.session;
	size_t len = strlen(c->host.name);
	struct resume *r;

	if (!p->proved || !c->conf->verify || p->is_13 ||
	    !(from->id_len || from->ticket_len) || len >= sizeof(r->name))
		return;
	resume_forget(c);
	r = c->resume = mbedtls_calloc(1, sizeof(*r));
	if (!r)
		return;
	/* moved: the connection has no more use for its ticket and name */
	r->saved = *from;
	r->saved.peer_cert = NULL;
	from->ticket = NULL;
	from->ticket_len = 0;
	tls13_leave_name(from);
	r->until = p->until;
	r->since = time(NULL);
	r->without = c->without;
	memcpy(r->name, c->host.name, len);
}

void resume_forget(struct tls_creds *c)
{
	if (!c->resume)
		return;
	mbedtls_ssl_session_free(&c->resume->saved);
	explicit_bzero(c->resume, sizeof(*c->resume));
	mbedtls_free(c->resume);
	c->resume = NULL;
}
