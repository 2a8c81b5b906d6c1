/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structured replies and the metadata context (proto.md, "Metadata
 * querying").  If the server refuses either, the engine continues without it.
 *
 *   STRUCTURED_REPLY --ACK--> SET_META_CONTEXT --META_CONTEXT*, ACK--> GO
 *         |             '---> LIST_META_CONTEXT --> NBD_ITEM*, NBD_LISTED
 *         '--ERR_*--> GO
 */
#include "core/be.h"
#include "core/meta.h"
#include "core/wire.h"

static const char allocation[] = "base:allocation";

static const char *context(const struct nbd_client *c, size_t *len)
{
	*len = c->cfg->context ? c->cfg->context_len : sizeof(allocation) - 1;
	return c->cfg->context ? c->cfg->context : allocation;
}

static void go(struct nbd_client *c)
{
	c->name_len = c->text_len = 0;
	c->name_cut = c->text_cut = false;
	c->step = STEP_GOAL;
	nbd_send_option(c);
}

static void ask(struct nbd_client *c)
{
	nbd_queue_option(c, NBD_OPT_STRUCTURED_REPLY, 0);
	nbd_await_reply(c);
}

void nbd_ask_context(struct nbd_client *c)
{
	bool list = c->cfg->goal == NBD_GOAL_CONTEXTS;
	/* after the client flags, the option's head and the name's length */
	unsigned char *p = c->out + 4 + NBD_OPT_SIZE + 4;
	size_t len;
	const char *query = context(c, &len);

	if (list && !c->cfg->context) {
		nbd_queue_named(c, NBD_OPT_LIST_META_CONTEXT, 4);
		put32(p, 0);
		nbd_queue(c, p, 4);
	} else {
		nbd_queue_named(c,
				list ? NBD_OPT_LIST_META_CONTEXT
				     : NBD_OPT_SET_META_CONTEXT,
				8 + len);
		put32(p, 1);
		put32(p + 4, (uint32_t)len);
		nbd_queue(c, p, 8);
		nbd_queue(c, query, len);
	}
	nbd_await_reply(c);
}

static void refused(struct nbd_client *c, int err)
{
	if (nbd_is_final(err) || c->cfg->goal == NBD_GOAL_CONTEXTS) {
		nbd_fail(c, err);
		return;
	}
	c->has_context = false;
	go(c);
}

/* ---- NBD_REP_META_CONTEXT: an identifier and a name ---- */

static void listed(struct nbd_client *c)
{
	c->text_len = 0;
	nbd_stop(c, NBD_ITEM);
}

/* One context was asked for, so only that one may be returned. */
static void chosen(struct nbd_client *c)
{
	size_t len;
	const char *want = context(c, &len);

	if (c->has_context || c->name_cut != (len > c->name_len) ||
	    memcmp(want, c->name, c->name_len) != 0) {
		nbd_fail(c, NBD_E_PROTOCOL);
		return;
	}
	c->has_context = true;
	nbd_await_reply(c);
}

static void rx_rest(struct nbd_client *c)
{
	bool list = c->opt == NBD_OPT_LIST_META_CONTEXT;

	nbd_expect(c, list ? listed : chosen, NULL, c->rep_len);
}

static void rx_context(struct nbd_client *c)
{
	size_t len;

	context(c, &len);
	c->context_id = be32(c->hdr);
	c->rep_len -= 4;
	if (c->rep_len > NBD_STRING_MAX)
		nbd_fail(c, NBD_E_LENGTH);
	else if (c->opt == NBD_OPT_SET_META_CONTEXT && c->rep_len != len)
		nbd_fail(c, NBD_E_PROTOCOL);
	else
		nbd_keep_name(c, c->rep_len, rx_rest);
}

static void reply(struct nbd_client *c)
{
	bool meta = c->opt != NBD_OPT_STRUCTURED_REPLY;

	if (c->rep_type == NBD_REP_META_CONTEXT && meta) {
		if (c->rep_len < 4)
			nbd_fail(c, NBD_E_LENGTH);
		else
			nbd_expect(c, rx_context, c->hdr, 4);
	} else if (c->rep_type != NBD_REP_ACK) {
		nbd_fail(c, NBD_E_PROTOCOL);
	} else if (c->rep_len) {
		nbd_fail(c, NBD_E_LENGTH);
	} else if (!meta) {
		c->replies = NBD_STRUCTURED;
		nbd_ask_context(c);
	} else if (c->opt == NBD_OPT_LIST_META_CONTEXT) {
		nbd_stop(c, NBD_LISTED);
	} else {
		go(c);
	}
}

const struct nbd_extra nbd_structured = {
	.ask = ask,
	.reply = reply,
	.refused = refused,
};
