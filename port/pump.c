/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop that moves bytes between an engine and a transport. */
#include "port/port.h"

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

int nbd_pump(struct nbd_client *c, struct nbd_transport *t)
{
	int len;

	for (;;) {
		unsigned state = nbd_state(c);

		if (state & NBD_SEND)
			len = send_some(c, t);
		else if (state & NBD_RECV)
			len = receive_some(c, t);
		else
			return 0;
		if (len == NBD_E_AGAIN)
			return len;
		if (len <= 0)
			nbd_transport_error(c, len);
	}
}
