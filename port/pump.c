/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop that moves bytes between an engine and a transport. */
#include "port/port.h"
#include "port/probe.h"

/* Some milliseconds of work, even where the other side sends all the time. */
#define TURNS 1024

static int send_some(struct nbd_client *c, struct nbd_transport *t)
{
	struct nbd_iov v[4];
	unsigned n = nbd_send_iov(c, v, 4);
	int len = t->write(t, v, n);

	if (len > 0)
		nbd_send_ack(c, (size_t)len);
	return len;
}

static int receive_some(struct nbd_client *c, struct nbd_transport *t)
{
	size_t want;
	unsigned char *to = nbd_recv_buf(c, &want);
	int len = t->read(t, to, want);

	if (len > 0)
		nbd_recv_ack(c, (size_t)len);
	return len;
}

/*
 * Sends and receives in turns: a server that waits until we have read its
 * answers does not read our requests meanwhile.
 */
int nbd_pump(struct nbd_client *c, struct nbd_transport *t)
{
	for (unsigned turn = 0; turn < TURNS; turn++) {
		int sent = NBD_E_AGAIN, got = NBD_E_AGAIN;
		unsigned state = nbd_state(c);

		if (state & NBD_DONE || !(state & (NBD_SEND | NBD_RECV)))
			return 0;
		if (state & NBD_SEND)
			sent = send_some(c, t);
		if (sent <= 0 && sent != NBD_E_AGAIN)
			nbd_transport_error(c, sent);
		if (nbd_state(c) & NBD_RECV)
			got = receive_some(c, t);
		if (got <= 0 && got != NBD_E_AGAIN)
			nbd_transport_error(c, got);
		/* engine(which, NBD_* before, and now) */
		NBD_PROBE3(engine, c, state, nbd_state(c));
		if (sent == NBD_E_AGAIN && got == NBD_E_AGAIN)
			return NBD_E_AGAIN;
	}
	return 1;
}
