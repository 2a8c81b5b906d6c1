/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extended headers: 64-bit lengths, one head of 32 bytes for every reply
 * (the branch extension-ext-header of the specification, "Extended reply
 * chunk message").  If the server has none, structured replies are next.
 */
#include "core/io.h"
#include "core/meta.h"

static void rx_extended(struct nbd_client *c)
{
	struct nbd_io *io = c->io;
	uint64_t len = be64(c->hdr + 24);

	io->chunk_flags = be16(c->hdr + 4);
	io->chunk_type = be16(c->hdr + 6);
	io->cur = nbd_find(c, be64(c->hdr + 8));
	io->chunk_len = (uint32_t)len;
	if (be32(c->hdr) != NBD_EXT_REPLY_MAGIC || !io->cur ||
	    be64(c->hdr + 16) != io->cur->op.offset)
		nbd_fail(c, NBD_E_PROTOCOL);
	else if (len > UINT32_MAX)
		nbd_fail(c, NBD_E_LENGTH);
	else
		nbd_chunk(c);
}

static void await(struct nbd_client *c)
{
	nbd_expect(c, rx_extended, c->hdr, NBD_EXT_REPLY_SIZE);
}

static const struct nbd_format format = {
	.request_magic = NBD_EXT_REQUEST_MAGIC,
	.request_size = NBD_EXT_REQUEST_SIZE,
	.extent_shift = 4,
	.status_type = NBD_REPLY_STATUS_EXT,
	.put_len = put64,
	.await = await,
};

/* ---- negotiation ---- */

static void ask(struct nbd_client *c)
{
	nbd_queue_option(c, NBD_OPT_EXTENDED_HEADERS, 0);
	nbd_await_reply(c);
}

static void reply(struct nbd_client *c)
{
	if (c->opt != NBD_OPT_EXTENDED_HEADERS) {
		nbd_structured.reply(c);
	} else if (c->rep_type != NBD_REP_ACK || c->rep_len) {
		nbd_fail(c, NBD_E_PROTOCOL);
	} else {
		c->replies = NBD_EXTENDED;
		nbd_ask_context(c);
	}
}

static void refused(struct nbd_client *c, int err)
{
	if (c->opt == NBD_OPT_EXTENDED_HEADERS && !nbd_is_final(err)) {
		c->text_len = 0;
		nbd_structured.ask(c);
	} else {
		nbd_structured.refused(c, err);
	}
}

const struct nbd_extra nbd_extended = {
	.ask = ask,
	.reply = reply,
	.refused = refused,
	.format = &format,
	.less = &nbd_structured,
};
