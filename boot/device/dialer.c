/* SPDX-License-Identifier: BSD-2-Clause */
/* Distributes the connections of a device over its servers. */
#include "boot/device/dialer.h"

#include <string.h>

/*
 * ms that a server is asked last after it was late or broken: each time that
 * costs up to half a minute, in which another would answer.
 */
#define LATE_MS 300000

static const char *place(const struct nbd_uri *u)
{
	return u->is_unix ? u->socket : u->host;
}

/*
 * Options that name files apply only to the servers with TLS.  If no server has
 * TLS, they are passed on to device_tls_check(), which reports the mistake.
 */
static const struct tls_files *files_for(const struct backend *b,
					 const struct nbd_uri *u)
{
	static const struct tls_files none;
	bool tls = false;

	for (unsigned i = 0; i < b->servers; i++)
		tls |= b->uris[i].tls;
	return u->tls || !tls ? &b->files : &none;
}

/* Servers with the same credentials share those of the first one. */
static struct device_tls *tls_of(struct device_dialer *dl,
				 const struct backend *b, unsigned server)
{
	const struct nbd_uri *of = dl->keeps ? dl->kept : b->uris;
	unsigned first = 0;

	while (!boot_tls_same(&of[first], &b->uris[server]))
		first++;
	return &dl->tls[first];
}

/* The cause that a user finds last: the server waits for someone else. */
static int explain_silence(const struct conn *conn, int err, struct nbd_diag *d)
{
	if (err != NBD_E_TIMEOUT || !dial_is_silent(conn))
		return err;
	return nbd_diag(d, err,
			"it accepts the connection, but sends no greeting: a "
			"server for one client (qemu-nbd without --shared) is "
			"silent while it has another, even one that lost its "
			"power");
}

/*
 * The watcher uses the sisters of the port in turn: a firewall or NAT on the
 * way may drop a SYN from the port of a connection that it still knows, and a
 * boot after a power cut has to find the port.
 */
static void choose_port(struct device_dialer *dl, struct conn *conn,
			unsigned port)
{
	conn->clear = port && !dl->keeps;
	if (port && dl->keeps)
		port ^= ++dl->turn % SOCK_SISTERS;
	conn->s.port = (uint16_t)port;
}

static int dial_server(struct device_dialer *dl, struct conn conns[],
		       unsigned n, const struct backend *b, unsigned server,
		       struct nbd_diag *d)
{
	const struct nbd_uri *u = &b->uris[server];
	struct device_tls *tls = tls_of(dl, b, server);
	struct nbd_config cfg;
	int err;

	if (dl->keeps && u->tls && !tls->session.creds)
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"its credentials could not be read when this "
				"program started");
	cfg = (struct nbd_config){ .name = u->name,
				   .name_len = u->name_len,
				   .tls = u->tls,
				   .no_go = b->no_go };
	choose_port(dl, &conns[0], b->port);
	err = device_tls_dial(tls, conns, n, u, &cfg, files_for(b, u), true, d);
	return explain_silence(&conns[0], err, d);
}

/* Appends the result of dialing a server; why->text is escaped already. */
static void add_reason(struct nbd_out *o, const struct backend *b,
		       unsigned server, int err, const struct nbd_diag *why)
{
	const char *text = why->text[0] ? why->text : nbd_err_text(err);

	if (b->servers > 1)
		nbd_putf(o, "%s%s: ", o->len ? "; " : "",
			 place(&b->uris[server]));
	nbd_put(o, text, strlen(text));
}

/* 0: to be asked first.  2: last. */
static unsigned rank(const struct device_dialer *dl, unsigned server,
		     uint64_t now)
{
	return dl->shunned[server] ? 2 : now < dl->late[server];
}

/* In which order the servers are asked: from `first` on, late ones last. */
static void sort(const struct device_dialer *dl, unsigned n, unsigned first,
		 unsigned char order[BACKEND_SERVERS])
{
	uint64_t now = nbd_now_ms();
	unsigned at = 0;

	for (unsigned r = 0; r <= 2; r++)
		for (unsigned i = 0; i < n; i++)
			if (rank(dl, (first + i) % n, now) == r)
				order[at++] = (unsigned char)((first + i) % n);
}

/*
 * Dials each server in turn, from `first` on.  If the error of one is temporary
 * it is returned, whatever the errors of the others, so that callers retry.
 */
static int dial_any(struct device_dialer *dl, struct conn conns[], unsigned n,
		    const struct backend *b, unsigned first, struct nbd_diag *d)
{
	struct nbd_out o = { .buf = d ? d->text : NULL,
			     .cap = d ? sizeof(d->text) - 1 : 0 };
	unsigned char order[BACKEND_SERVERS] = { 0 };
	struct nbd_diag why;
	int err = 0, rc;

	sort(dl, b->servers, first, order);
	for (unsigned i = 0; i < b->servers; i++) {
		why.text[0] = '\0';
		rc = dial_server(dl, conns, n, b, order[i], &why);
		dl->late[order[i]] =
			rc == NBD_E_TIMEOUT ? nbd_now_ms() + LATE_MS : 0;
		if (!rc) {
			dl->last = order[i];
			err = 0;
			break;
		}
		if (nbd_err_is_outage(rc))
			err = dl->away = rc;
		else if (!err)
			err = rc;
		add_reason(&o, b, order[i], rc, &why);
	}
	if (d)
		d->text[o.len] = '\0';
	return err;
}

/* Compares the connections, of which the last was made to that server. */
static int agree(const struct backend *b, const struct conn conns[], unsigned n,
		 unsigned server, struct nbd_diag *d)
{
	struct nbd_export all;
	int err = dial_agree(&all, conns, n, d);

	return err ? nbd_diag_prefix(d, err, "%s and %s do not serve the same",
				     place(&b->uris[0]),
				     place(&b->uris[server]))
		   : 0;
}

/*
 * Dials all servers, with shares that differ by at most one: 11 connections to
 * 4 servers are 3, 3, 3 and 2.  The first server gets the first of conns[].
 */
static int dial_all(struct device_dialer *dl, struct conn conns[],
		    const struct backend *b, bool read_only, struct nbd_diag *d)
{
	unsigned n = b->connections, at = 0, server;
	int err = 0;

	if (n < b->servers)
		return nbd_diag(d, NBD_E_USAGE,
				"%u connections cannot be spread over %u "
				"servers (-c)",
				n, b->servers);

	for (server = 0; server < b->servers && at < n && !err; server++) {
		unsigned left = b->servers - server;
		unsigned share = (n - at + left - 1) / left;

		err = dial_server(dl, conns + at, share, b, server, d);
		if (err)
			break;
		at += share;
		if (!read_only &&
		    !(nbd_export(&conns[0].c)->flags & NBD_FLAG_READ_ONLY))
			err = nbd_diag(d, NBD_E_USAGE,
				       "spreading is for read-only exports: "
				       "data written to one server would be "
				       "missing on the others (-R)");
		else if (!(nbd_export(&conns[at - 1].c)->flags &
			   NBD_FLAG_CAN_MULTI_CONN) &&
			 n > 1)
			err = nbd_diag(d, NBD_E_MULTI_CONN, "%s: %s",
				       place(&b->uris[server]),
				       nbd_err_text(NBD_E_MULTI_CONN));
		else if (server)
			err = agree(b, conns, at, server, d);
	}
	if (err)
		dial_hangup(conns, at);
	return err;
}

static int check(const struct backend *b, struct nbd_diag *d)
{
	struct nbd_out o = { .buf = d->text, .cap = sizeof(d->text) - 1 };
	struct nbd_diag why;
	int err = 0;

	for (unsigned i = 0; i < b->servers && !err; i++) {
		err = device_tls_check(&b->uris[i], files_for(b, &b->uris[i]),
				       true, &why);
		if (err)
			add_reason(&o, b, i, err, &why);
	}
	d->text[o.len] = '\0';
	return err;
}

int device_dialer_open(struct device_dialer *dl, struct conn conns[],
		       const struct backend *b, bool read_only,
		       struct nbd_diag *d)
{
	int err = check(b, d);

	if (err)
		return err;
	return b->spread ? dial_all(dl, conns, b, read_only, d)
			 : dial_any(dl, conns, b->connections, b, 0, d);
}

void device_dialer_late(struct device_dialer *dl, unsigned server)
{
	dl->late[server] = nbd_now_ms() + LATE_MS;
}

void device_dialer_shun(struct device_dialer *dl, unsigned server)
{
	dl->shunned[server] = true;
}

int device_dialer_to(struct device_dialer *dl, struct conn *conn,
		     const struct backend *b, unsigned server,
		     struct nbd_diag *d)
{
	return dial_server(dl, conn, 1, b, server, d);
}

void device_dialer_moved(struct device_dialer *dl)
{
	memset(dl->late, 0, sizeof(dl->late));
	memset(dl->shunned, 0, sizeof(dl->shunned));
	dl->last = 0;
}

void device_dialer_avoid(struct device_dialer *dl)
{
	device_dialer_late(dl, dl->last);
}

int device_dialer_one(struct device_dialer *dl, struct conn *conn,
		      const struct backend *b, unsigned first,
		      struct nbd_diag *d)
{
	return dial_any(dl, conn, 1, b, first, d);
}

int device_dialer_keep(struct device_dialer *dl, const struct backend *b,
		       struct nbd_diag *d)
{
	struct nbd_out o = { .buf = d->text, .cap = sizeof(d->text) - 1 };
	struct nbd_diag why;
	unsigned good = 0;
	int err = 0, rc;

	dl->keeps = true;
	memcpy(dl->kept, b->uris, sizeof(dl->kept));
	for (unsigned i = 0; i < b->servers; i++) {
		const struct nbd_uri *u = &b->uris[i];
		struct device_tls *tls = tls_of(dl, b, i);

		rc = device_tls_check(u, files_for(b, u), true, &why);
		if (!rc && u->tls && !tls->session.creds)
			rc = device_tls_load(tls, u, files_for(b, u), &why);
		good += !rc;
		if (rc)
			add_reason(&o, b, i, rc, &why);
		err = err ? err : rc;
	}
	d->text[o.len] = '\0';
	return good ? 0 : err;
}

void device_dialer_close(struct device_dialer *dl)
{
	for (unsigned i = 0; i < BACKEND_SERVERS && !dl->keeps; i++)
		device_tls_close(&dl->tls[i]);
}
