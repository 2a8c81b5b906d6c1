/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections to one server over any network stack, set up side by side in one
 * loop.  Every address of the name is tried, and each phase has a deadline.
 */
#ifndef NBD_DIAL_H
#define NBD_DIAL_H

#include "port/stack.h"
#include "port/tls.h"

/* What a server may take for the handshake, from its first byte to the end. */
#define DIAL_HANDSHAKE_MS 30000
/* What one address may take to accept the connection: 10000 ms. */
extern unsigned dial_connect_ms;

enum conn_state { CONN_CONNECTING, CONN_TALKING, CONN_SECURING, CONN_STOPPED };

struct conn {
	struct nbd_client c; /* points to cfg: do not move it */
	struct nbd_config cfg;
	struct sock s;
	struct nbd_transport *t; /* s.t, or TLS over it */
	struct nbd_tls *tls;
	/* The caller sets these, and s.port, of the first connection. */
	struct nbd_stack *net;
	bool clear;	 /* connections from before, if the server is silent */
	unsigned number; /* for tls */
	uint16_t port;	 /* s.port, for each address anew */
	const volatile int *stop; /* NULL, or gives up when this is not 0 */
	uint64_t deadline;	  /* of nbd_now_ms() */
	uint64_t end;		  /* of the handshake; 0 before its start */
	enum conn_state state;
	unsigned char wants;   /* NBD_SEND or NBD_RECV, while it is secured */
	unsigned addr;	       /* index of the address in use */
	struct sock_addr peer; /* the same: the server's */
	bool more;	       /* nbd_pump() has not done all it could */
	const char *after_tls; /* nbd_stage() behind its handshake, or NULL */
	bool cut_at_go;
};

/*
 * Makes n connections (1 to CONFIG_PORT_MAX_CONNECTIONS) to the server that uri
 * names, and negotiates cfg on each, until each engine stops.  Of
 * several servers of a service (RFC 2782) the first that does all of this is
 * taken.  With NBD_GOAL_EXPORT and n > 1 the export must be the same on all, and the server
 * must allow several connections: NBD_E_MISMATCH, NBD_E_MULTI_CONN.  If the
 * server ends a connection at an option, a new one does without it: see
 * nbd_less().  On failure everything is closed, and d says why.  NBD_E_TIMEOUT:
 * a deadline has passed, however busy the server was.  NBD_E_INTERRUPTED:
 * conns[0].stop; a signal handler that sets it ends the wait.
 *
 * With cfg->tls, tls does the TLS handshake where NBD wants it, before the
 * same deadline; it outlives the connections.
 */
int dial(struct conn conns[], unsigned n, const struct nbd_uri *uri,
	 const struct nbd_config *cfg, struct nbd_tls *tls, struct nbd_diag *d);

/*
 * Begins one more connection to the server of `like`, which is past its
 * handshake, without waiting.  conn->number is its own.  On failure it is
 * closed, and d says why.  dial_step() goes on with it, to the same end as
 * dial(); the caller compares its export.
 */
int dial_more(struct conn *conn, const struct conn *like, struct nbd_diag *d);

/*
 * Goes on as far as possible without waiting; ready: as said by net->wait(), for
 * what dial_wants() says.  1: call it again, at once if conn->more, or when it is
 * ready, but every second at least, for the deadline.  0: the engine has stopped.
 * On failure the connection is closed, and d says why.
 */
int dial_step(struct conn *conn, bool ready, struct nbd_diag *d);

/* NBD_SEND or NBD_RECV: what a connection waits for. */
unsigned char dial_wants(const struct conn *conn);

/*
 * What n connections to an export accept, all of them: see nbd_export_agree().
 * All are at NBD_READY, to one server or to several.
 */
int dial_agree(struct nbd_export *all, const struct conn conns[], unsigned n,
	       struct nbd_diag *d);

/*
 * Resumes a connection whose engine was woken (nbd_next(), nbd_submit()) until
 * it stops again.  conn->deadline is that of the handshake, unless the caller
 * sets another.  On failure it is closed, and d says why.
 */
int dial_resume(struct conn *conn, struct nbd_diag *d);

/*
 * nbd_pump() for a connection.  It returns even if TLS finds nothing for the
 * engine in all that the server sends.
 */
int dial_pump(struct conn *conn);

/*
 * Bytes left of the piece that is being sent, and of the one that is received.
 * As long as this changes, the connection is slow, and not silent.
 */
size_t dial_left(struct conn *conn);

/* Whether the server has not sent its whole greeting. */
bool dial_is_silent(const struct conn *conn);

/* Says goodbye if the server listens, without waiting; closes. */
void dial_hangup(struct conn *conns, unsigned n);

/* ---- between dial.c, dial_more.c and dial_explain.c ---- */

/* What the connections of one dial() have in common. */
struct dial_call {
	struct sock_addr addrs[SOCK_MAX_ADDRS];
	unsigned n_addrs;
	/* those of the server that is tried; connections agree on it */
	unsigned first, end;
	int away; /* why the first of them failed, if another is tried */
	struct nbd_diag *d;
	struct nbd_diag why; /* the end of a connection before, or "" */
};

/* Sets what a connection has before it is begun. */
void dial_prepare(struct conn *conn, const struct nbd_config *cfg,
		  struct nbd_tls *tls);
/* Begins one with the first address that may do. */
int dial_begin(struct dial_call *call, struct conn *conn,
	       const struct nbd_config *cfg);
/* The socket is ready, or the deadline has passed, or both. */
int dial_advance(struct dial_call *call, struct conn *conn, bool ready);

/*
 * Says that no address up to the i-th, whose error is err, could be connected
 * to.  Returns the error that counts: that of the first if it is an outage, as
 * others may be of an IPv6 that leads nowhere.
 */
int dial_explain_connect(const struct dial_call *call, unsigned i, int err);
/* Says the engine's error, with the stage and the server's own words. */
int dial_explain_talk(const struct conn *conn, struct nbd_diag *d);
/* Names the connection before, too, unless it ended like this one. */
int dial_explain_both(const struct dial_call *call, int err);

#endif
