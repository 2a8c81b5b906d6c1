/* SPDX-License-Identifier: BSD-2-Clause */
/* Which server gets how many connections. */
#include "boot/device/dialer.h"

#include <string.h>

static const char *place(const struct nbd_uri *u)
{
	return u->is_unix ? u->socket : u->host;
}

static int dial_server(struct conn conns[], unsigned n, const struct backend *b,
		       unsigned server, struct nbd_diag *d)
{
	const struct nbd_uri *u = &b->uris[server];
	/* the connections' engines keep a pointer to it */
	static struct nbd_config cfgs[BACKEND_SERVERS];

	cfgs[server] = (struct nbd_config){ .name = u->name,
					    .name_len = u->name_len,
					    .tls = u->tls };
	return device_tls_dial(conns, n, u, &cfgs[server], &b->files, true, d);
}

/*
 * Each server in turn, from `first` on.  If one of them may come back, trying
 * again makes sense, whatever the others say.
 */
static int dial_any(struct conn conns[], unsigned n, const struct backend *b,
		    unsigned first, struct nbd_diag *d)
{
	struct nbd_out o = { .buf = d ? d->text : NULL,
			     .cap = d ? sizeof(d->text) - 1 : 0 };
	struct nbd_diag why;
	const char *text;
	int err = 0, rc;

	for (unsigned i = 0; i < b->servers; i++) {
		const struct nbd_uri *u = &b->uris[(first + i) % b->servers];

		why.text[0] = '\0';
		rc = dial_server(conns, n, b, (first + i) % b->servers, &why);
		if (!rc) {
			err = 0;
			break;
		}
		if (!err || nbd_err_is_outage(rc))
			err = rc;
		if (b->servers > 1)
			nbd_putf(&o, "%s%s: ", i ? "; " : "", place(u));
		/* it is escaped already */
		text = why.text[0] ? why.text : nbd_err_text(rc);
		nbd_put(&o, text, strlen(text));
	}
	if (d)
		d->text[o.len] = '\0';
	return err;
}

static int agree(const struct backend *b, const struct conn *first,
		 const struct conn *other, unsigned server, struct nbd_diag *d)
{
	const struct nbd_export *e = nbd_export(&first->c);
	const struct nbd_export *f = nbd_export(&other->c);

	if (e->size == f->size && e->flags == f->flags)
		return 0;
	return nbd_diag(d, NBD_E_MISMATCH,
			"%s and %s do not serve the same: sizes %llu and %llu, "
			"flags 0x%x and 0x%x",
			place(&b->uris[0]), place(&b->uris[server]),
			(unsigned long long)e->size,
			(unsigned long long)f->size, e->flags, f->flags);
}

/*
 * Shares that differ by one at most, the first ones of conns[] to the first
 * server: 11 connections over 4 servers are 3, 3, 3 and 2.
 */
static int dial_all(struct conn conns[], const struct backend *b,
		    bool read_only, struct nbd_diag *d)
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

		err = dial_server(conns + at, share, b, server, d);
		device_tls_close();
		if (err)
			break;
		at += share;
		if (!read_only &&
		    !(nbd_export(&conns[0].c)->flags & NBD_FLAG_READ_ONLY))
			err = nbd_diag(d, NBD_E_USAGE,
				       "spreading is for read-only exports: "
				       "what is written to one server the "
				       "others would not have (-R)");
		else if (!(nbd_export(&conns[at - 1].c)->flags &
			   NBD_FLAG_CAN_MULTI_CONN) &&
			 n > 1)
			err = nbd_diag(d, NBD_E_MULTI_CONN, "%s: %s",
				       place(&b->uris[server]),
				       nbd_err_text(NBD_E_MULTI_CONN));
		else if (server)
			err = agree(b, &conns[0], &conns[at - 1], server, d);
	}
	if (err)
		dial_hangup(conns, at);
	return err;
}

int device_dialer_open(struct conn conns[], const struct backend *b,
		       bool read_only, struct nbd_diag *d)
{
	return b->spread ? dial_all(conns, b, read_only, d)
			 : dial_any(conns, b->connections, b, 0, d);
}

int device_dialer_one(struct conn *conn, const struct backend *b,
		      unsigned first, struct nbd_diag *d)
{
	return dial_any(conn, 1, b, first, d);
}
