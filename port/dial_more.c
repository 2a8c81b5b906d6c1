/* SPDX-License-Identifier: BSD-2-Clause */
/* One more connection to a server, beside those that are in use. */
#include "port/dial.h"

/* Of a call for one connection, whose server is known. */
static struct dial_call call_to(const struct sock_addr *peer,
				struct nbd_diag *d)
{
	return (struct dial_call){
		.addrs = { *peer }, .n_addrs = 1, .end = 1, .d = d
	};
}

int dial_more(struct conn *conn, const struct conn *like, struct nbd_diag *d)
{
	struct dial_call call = call_to(&like->peer, d);

	conn->net = like->net;
	conn->stop = like->stop;
	conn->port = 0;
	conn->clear = false;
	dial_prepare(conn, &like->cfg, like->tls);
	/* what it refused before it would refuse again: dial() has left it out */
	return dial_begin(&call, conn, &like->cfg);
}

int dial_step(struct conn *conn, bool ready, struct nbd_diag *d)
{
	struct dial_call call = call_to(&conn->peer, d);
	int err;

	if (!ready && !conn->more && nbd_now_ms() < conn->deadline)
		return 1;
	err = dial_advance(&call, conn, ready);
	if (err)
		dial_hangup(conn, 1);
	return err ? err : conn->state != CONN_STOPPED;
}
