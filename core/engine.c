/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine: windows, stops and the error that sticks.
 *
 *   greeting --flags--> option --reply--> option ... --> NBD_READY
 *   (hello.c)           (opt.c)     '--> NBD_TLS, NBD_ITEM, NBD_LISTED
 *
 * Receiving has one state: {where the next bytes go, how many, the function
 * that runs when all of them have arrived}.  nbd_expect() sets it.
 */
#include "core/core.h"
#include "core/nbd_io.h"

void nbd_fail(struct nbd_client *c, int err)
{
	if (c->err)
		return;
	c->err = (int8_t)err;
	c->stop = NBD_CLOSED;
	c->tx_n = 0;
	if (c->io)
		c->io->ops->failed(c);
}

void nbd_expect(struct nbd_client *c, void (*full)(struct nbd_client *),
		void *to, size_t len)
{
	c->rx_full = full;
	c->rx = to;
	c->rx_left = (uint32_t)len;
}

void nbd_stop(struct nbd_client *c, unsigned why)
{
	c->stop = (uint8_t)why;
	nbd_expect(c, NULL, NULL, 0);
}

void nbd_queue(struct nbd_client *c, const void *p, size_t len)
{
	if (len)
		c->tx[c->tx_n++] =
			(struct nbd_iov){ (void *)(uintptr_t)p, len };
}

/*
 * One option at a time: nothing is read before the option is sent, so a reply
 * that came too early cannot overwrite what is still queued.
 */
static bool may_receive(const struct nbd_client *c)
{
	return !c->stop && c->rx_left && !c->tx_n;
}

unsigned nbd_state(const struct nbd_client *c)
{
	unsigned mask = c->stop;

	if (c->io)
		mask |= c->io->ops->state(c);
	if (c->tx_n)
		mask |= NBD_SEND;
	if (may_receive(c))
		mask |= NBD_RECV;
	return mask;
}

const struct nbd_config *nbd_config(const struct nbd_client *c)
{
	return c->cfg;
}

int nbd_error(const struct nbd_client *c)
{
	return c->err;
}

unsigned char *nbd_recv_buf(struct nbd_client *c, size_t *len)
{
	*len = 0;
	if (!may_receive(c))
		return NULL;
	*len = c->rx_left;
	if (c->rx)
		return c->rx;
	if (*len > sizeof(c->sink))
		*len = sizeof(c->sink);
	return c->sink;
}

void nbd_recv_ack(struct nbd_client *c, size_t len)
{
	if (!may_receive(c) || len == 0 || len > c->rx_left) {
		nbd_fail(c, NBD_E_PARAM);
		return;
	}
	c->rx_left -= (uint32_t)len;
	if (c->rx)
		c->rx += len;
	while (!c->stop && c->rx_full && c->rx_left == 0)
		c->rx_full(c);
}

unsigned nbd_send_iov(struct nbd_client *c, struct nbd_iov v[], unsigned max)
{
	unsigned n = 0;

	if (c->io)
		return c->io->ops->send_iov(c, v, max);
	while (n < max && n < c->tx_n) {
		v[n] = c->tx[n];
		n++;
	}
	return n;
}

void nbd_send_ack(struct nbd_client *c, size_t len)
{
	unsigned done = 0;

	if (c->io) {
		c->io->ops->send_ack(c, len);
		return;
	}
	while (done < c->tx_n && len >= c->tx[done].len)
		len -= c->tx[done++].len;
	if (len && done == c->tx_n) {
		nbd_fail(c, NBD_E_PARAM);
		return;
	}
	c->tx_n = (uint8_t)(c->tx_n - done);
	for (unsigned i = 0; i < c->tx_n; i++)
		c->tx[i] = c->tx[i + done];
	if (len) {
		c->tx[0].base = (char *)c->tx[0].base + len;
		c->tx[0].len -= len;
	}
	if (c->tx_n == 0 && c->step == STEP_BYE)
		c->stop = NBD_CLOSED;
}

/*
 * EXPORT_NAME has no error reply: a server that does not have the export
 * can only close (proto.md, "NBD_OPT_EXPORT_NAME").
 */
void nbd_transport_error(struct nbd_client *c, int err)
{
	if (err)
		nbd_fail(c, err);
	else if (c->step == STEP_EXPORT_NAME && c->rx_left == 10)
		nbd_fail(c, NBD_E_NO_EXPORT);
	else
		nbd_fail(c, NBD_E_CUT);
}

const struct nbd_export *nbd_export(const struct nbd_client *c)
{
	return c->step == STEP_READY ? &c->exp : NULL;
}

struct nbd_text nbd_name(const struct nbd_client *c)
{
	return (struct nbd_text){ c->name, c->name_len, c->name_cut };
}

struct nbd_text nbd_text(const struct nbd_client *c)
{
	return (struct nbd_text){ c->text, c->text_len, c->text_cut };
}

enum nbd_replies nbd_replies(const struct nbd_client *c)
{
	return (enum nbd_replies)c->replies;
}

bool nbd_has_context(const struct nbd_client *c)
{
	return c->has_context;
}
