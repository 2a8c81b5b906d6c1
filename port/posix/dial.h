/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections to one server, set up side by side in one poll loop: every
 * address of the name is tried, and no step waits for ever.
 */
#ifndef PORT_POSIX_DIAL_H
#define PORT_POSIX_DIAL_H

#include "core/nbd_uri.h"
#include "port/posix/sock.h"
#include "port/tls.h"

/* How long a person waits for a server, in all its answers, in ms. */
#define DIAL_HANDSHAKE_MS 30000
/* And for one address to answer at all: 10000. */
extern int dial_connect_ms;

enum conn_state { CONN_CONNECTING, CONN_TALKING, CONN_SECURING, CONN_STOPPED };

struct conn {
	struct nbd_client c;
	struct sock s;
	struct nbd_transport *t; /* s.t, or TLS over it */
	struct nbd_tls *tls;
	unsigned number; /* for tls; the caller sets that of the first */
	unsigned wants;	 /* NBD_SEND or NBD_RECV, while it is secured */
	enum conn_state state;
	unsigned addr; /* index of the address in use */
	int budget_ms; /* how long it may still wait */
};

/*
 * Makes n connections (1 to CONFIG_PORT_MAX_CONNECTIONS) to the server that
 * uri names, and negotiates cfg on each, until each engine stops.  With
 * NBD_GOAL_EXPORT and n > 1 the export must be the same on all, and the
 * server must allow several connections: NBD_E_MISMATCH, NBD_E_MULTI_CONN.
 * On failure everything is closed, and d says why.
 *
 * With cfg->tls, tls does the TLS handshake where NBD wants it, within the
 * same time; it outlives the connections.
 */
int dial(struct conn conns[], unsigned n, const struct nbd_uri *uri,
	 const struct nbd_config *cfg, struct nbd_tls *tls, struct nbd_diag *d);

/*
 * Goes on with a connection whose engine was woken (nbd_next(), nbd_close())
 * until it stops again.  On failure it is closed, and d says why.
 */
int dial_resume(struct conn *conn, struct nbd_diag *d);

/* Says goodbye if the server listens, without waiting; closes. */
void dial_hangup(struct conn conns[], unsigned n);

#endif
