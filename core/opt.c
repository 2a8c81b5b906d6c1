/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options and their replies (proto.md, "Option types", "Option reply types").
 *
 *   option --> HEAD --ACK-----> next option, or a stop
 *               ^ |--INFO-----> TYPE --> fields or text --.
 *               | |--SERVER---> LENGTH -> NAME -> TEXT -> NBD_ITEM
 *               | '--ERR_*----> TEXT -> error, or fall back
 *               '-----------------------------------------'
 */
#include "core/be.h"
#include "core/core.h"
#include "core/wire.h"

/* The head of an option follows the client flags, if they are still queued. */
void nbd_queue_option(struct nbd_client *c, uint32_t opt, size_t len)
{
	unsigned char *p = c->out + 4;

	put64(p, NBD_IHAVEOPT);
	put32(p + 8, opt);
	put32(p + 12, (uint32_t)len);
	/* flags and head are neighbours in out[]: one piece */
	if (c->tx_n)
		c->tx[0].len += NBD_OPT_SIZE;
	else
		nbd_queue(c, p, NBD_OPT_SIZE);
	c->opt = opt;
}

void nbd_queue_named(struct nbd_client *c, uint32_t opt, size_t len)
{
	size_t name_len = c->cfg->name_len;

	nbd_queue_option(c, opt, 4 + name_len + len);
	put32(c->out + 4 + NBD_OPT_SIZE, (uint32_t)name_len);
	c->tx[0].len += 4;
	nbd_queue(c, c->cfg->name, name_len);
}

static void queue_go(struct nbd_client *c)
{
	static const unsigned char infos[] = {
		0, 3, /* how many */
		0, NBD_INFO_NAME,
		0, NBD_INFO_DESCRIPTION,
		0, NBD_INFO_BLOCK_SIZE,
	};

	nbd_queue_named(c, NBD_OPT_GO, sizeof(infos));
	nbd_queue(c, infos, sizeof(infos));
}

static void ready(struct nbd_client *c)
{
	c->step = STEP_READY;
	nbd_stop(c, NBD_READY);
}

/* Size and flags, from INFO_EXPORT or from the reply to EXPORT_NAME. */
static bool take_export(struct nbd_client *c, const unsigned char *p)
{
	c->exp.size = be64(p);
	c->exp.flags = be16(p + 8);
	if (!(c->exp.flags & NBD_FLAG_HAS_FLAGS))
		c->exp.flags = 0;
	if (c->exp.size > INT64_MAX)
		nbd_fail(c, NBD_E_SIZE);
	c->got_export = true;
	return !c->err;
}

static void rx_export_name(struct nbd_client *c)
{
	if (!take_export(c, c->hdr))
		return;
	/* the handshake flags decide, not the flags of the export */
	if (c->no_zeroes)
		ready(c);
	else
		nbd_expect(c, ready, NULL, NBD_ZEROES_SIZE);
}

uint8_t nbd_first_step(const struct nbd_client *c)
{
	if (c->cfg->no_go && c->cfg->goal == NBD_GOAL_EXPORT)
		return STEP_EXPORT_NAME;
	return c->cfg->extra && c->cfg->goal != NBD_GOAL_LIST ? STEP_EXTRA
							      : STEP_GOAL;
}

bool nbd_is_final(int err)
{
	return err == NBD_E_TLS_REQD || err == NBD_E_SHUTDOWN;
}

static bool is_of_tls(int err)
{
	return err <= NBD_E_TLS && err >= NBD_E_TLS_KERNEL;
}

bool nbd_is_extra(const struct nbd_client *c)
{
	/* the first answer after TLS 1.3 is also that to our certificate */
	return c->step == STEP_EXTRA && c->err && !is_of_tls(c->err) &&
	       c->err != NBD_E_INTERRUPTED && !nbd_is_final(c->err);
}

bool nbd_less(const struct nbd_client *c, struct nbd_config *less)
{
	const struct nbd_config *cfg = c->cfg;

	*less = *cfg;
	if (c->err != NBD_E_CUT && c->err != NBD_E_RESET &&
	    c->step != STEP_EXPORT_NAME)
		return false;
	if (c->step == STEP_EXTRA) {
		less->extra = c->opt == NBD_OPT_EXTENDED_HEADERS
				      ? cfg->extra->less
				      : NULL;
		return less->extra || cfg->goal == NBD_GOAL_EXPORT;
	}
	/*
	 * nbd-server 3.13 answers GO with ERR_UNSUP, then takes the data of GO
	 * for the next option, and gives up.
	 */
	less->no_go = c->step == STEP_GOAL ||
		      (c->step == STEP_EXPORT_NAME && c->fixed);
	return less->no_go && !cfg->no_go && cfg->goal == NBD_GOAL_EXPORT;
}

void nbd_send_option(struct nbd_client *c)
{
	if (c->step == STEP_EXPORT_NAME) {
		nbd_queue_option(c, NBD_OPT_EXPORT_NAME, c->cfg->name_len);
		nbd_queue(c, c->cfg->name, c->cfg->name_len);
		nbd_expect(c, rx_export_name, c->hdr, 10);
		return;
	}
	if (c->step == STEP_EXTRA) {
		c->cfg->extra->ask(c);
		return;
	}
	if (c->step == STEP_TLS)
		nbd_queue_option(c, NBD_OPT_STARTTLS, 0);
	else if (c->cfg->goal == NBD_GOAL_LIST)
		nbd_queue_option(c, NBD_OPT_LIST, 0);
	else
		queue_go(c);
	nbd_await_reply(c);
}

/* ---- error replies ---- */

static int reply_error(uint32_t type)
{
	/* NBD_REP_ERR_UNSUP is 2^31 + 1, and so on in this order */
	static const int8_t err[] = {
		NBD_E_REFUSED_OPT, NBD_E_UNSUP,	      NBD_E_POLICY,
		NBD_E_INVALID,	   NBD_E_PLATFORM,    NBD_E_TLS_REQD,
		NBD_E_NO_EXPORT,   NBD_E_SHUTDOWN,    NBD_E_BLOCK_REQD,
		NBD_E_TOO_BIG,	   NBD_E_REFUSED_OPT,
	};
	uint32_t i = type - NBD_REP_ERR;

	return i < sizeof(err) ? err[i] : NBD_E_REFUSED_OPT;
}

static void rx_error(struct nbd_client *c)
{
	int err = reply_error(c->rep_type);

	if (c->step == STEP_EXTRA) {
		c->cfg->extra->refused(c, err);
	} else if (c->opt == NBD_OPT_GO && err == NBD_E_UNSUP &&
		   c->replies != NBD_EXTENDED) {
		/* nbd-server before 3.15 and qemu before 2.10 have no GO */
		c->text_len = 0;
		c->step = STEP_EXPORT_NAME;
		nbd_send_option(c);
	} else if (c->opt == NBD_OPT_STARTTLS && err != NBD_E_SHUTDOWN) {
		nbd_fail(c, NBD_E_NO_TLS);
	} else {
		nbd_fail(c, err);
	}
}

/* ---- strings: kept as far as they fit, the rest is discarded ---- */

static void keep_text(struct nbd_client *c, uint32_t len,
		      void (*then)(struct nbd_client *))
{
	c->text_len = len > sizeof(c->text) ? sizeof(c->text) : len;
	c->text_cut = c->text_len < len;
	c->rep_len = len - c->text_len;
	nbd_expect(c, then, c->text, c->text_len);
}

void nbd_keep_name(struct nbd_client *c, uint32_t len,
		   void (*then)(struct nbd_client *))
{
	c->name_len = len > sizeof(c->name) ? sizeof(c->name) : len;
	c->name_cut = c->name_len < len;
	c->rep_len -= c->name_len;
	nbd_expect(c, then, c->name, c->name_len);
}

static void rx_skip(struct nbd_client *c)
{
	nbd_expect(c, nbd_await_reply, NULL, c->rep_len);
}

static void rx_error_text(struct nbd_client *c)
{
	nbd_expect(c, rx_error, NULL, c->rep_len);
}

/* ---- NBD_REP_INFO ---- */

static void rx_info_export(struct nbd_client *c)
{
	if (take_export(c, c->hdr + 2))
		nbd_await_reply(c);
}

static bool power_of_2(uint32_t v)
{
	return v && !(v & (v - 1));
}

/* proto.md, "Block size constraints" */
static void rx_info_block_size(struct nbd_client *c)
{
	struct nbd_export *e = &c->exp;

	e->min_block = be32(c->hdr + 2);
	e->pref_block = be32(c->hdr + 6);
	e->max_payload = be32(c->hdr + 10);
	e->has_block = true;
	if (!power_of_2(e->min_block) || e->min_block > 65536 ||
	    !power_of_2(e->pref_block) || e->pref_block < 512 ||
	    e->pref_block < e->min_block || e->max_payload < e->pref_block ||
	    (e->max_payload != UINT32_MAX &&
	     e->max_payload & (e->min_block - 1)))
		nbd_fail(c, NBD_E_BLOCK);
	else
		nbd_await_reply(c);
}

static void rx_info_text(struct nbd_client *c)
{
	keep_text(c, c->rep_len, rx_skip);
}

static void rx_info_name(struct nbd_client *c)
{
	nbd_keep_name(c, c->rep_len, rx_skip);
}

static void rx_info_type(struct nbd_client *c)
{
	unsigned type = be16(c->hdr);
	uint32_t len = c->rep_len;

	c->rep_len -= 2;
	if (type == NBD_INFO_EXPORT && len == NBD_INFO_EXPORT_SIZE)
		nbd_expect(c, rx_info_export, c->hdr + 2, len - 2);
	else if (type == NBD_INFO_BLOCK_SIZE && len == NBD_INFO_BLOCK_SIZE_SIZE)
		nbd_expect(c, rx_info_block_size, c->hdr + 2, len - 2);
	else if (type == NBD_INFO_EXPORT || type == NBD_INFO_BLOCK_SIZE)
		nbd_fail(c, NBD_E_LENGTH);
	else if (type > NBD_INFO_BLOCK_SIZE)
		rx_skip(c);
	else if (c->rep_len > NBD_STRING_MAX)
		nbd_fail(c, NBD_E_LENGTH);
	else if (type == NBD_INFO_NAME)
		rx_info_name(c);
	else
		rx_info_text(c);
}

/* ---- NBD_REP_SERVER, an entry of the list ---- */

static void item(struct nbd_client *c)
{
	nbd_stop(c, NBD_ITEM);
}

static void rx_item_skip(struct nbd_client *c)
{
	nbd_expect(c, item, NULL, c->rep_len);
}

static void rx_item_text(struct nbd_client *c)
{
	if (c->rep_len > NBD_STRING_MAX)
		nbd_fail(c, NBD_E_LENGTH);
	else
		keep_text(c, c->rep_len, rx_item_skip);
}

/* Discards the part of the name that did not fit. */
static void rx_item_name(struct nbd_client *c)
{
	uint32_t rest = be32(c->hdr) - c->name_len;

	c->rep_len -= rest;
	nbd_expect(c, rx_item_text, NULL, rest);
}

static void rx_item_len(struct nbd_client *c)
{
	uint32_t len = be32(c->hdr);

	c->rep_len -= 4;
	if (len > c->rep_len || len > NBD_STRING_MAX)
		nbd_fail(c, NBD_E_LENGTH);
	else
		nbd_keep_name(c, len, rx_item_name);
}

void nbd_next(struct nbd_client *c)
{
	if (c->stop != NBD_ITEM)
		return;
	c->stop = 0;
	nbd_await_reply(c);
}

/* ---- replies ---- */

static void rx_ack(struct nbd_client *c)
{
	if (c->opt == NBD_OPT_STARTTLS)
		nbd_stop(c, NBD_TLS);
	else if (c->opt == NBD_OPT_LIST)
		nbd_stop(c, NBD_LISTED);
	else if (c->got_export)
		ready(c);
	else
		nbd_fail(c, NBD_E_PROTOCOL);
}

/* Whether this type of reply may answer the option. */
static bool expected(const struct nbd_client *c)
{
	if (c->step == STEP_EXTRA)
		return true;
	if (c->rep_type == NBD_REP_SERVER)
		return c->opt == NBD_OPT_LIST;
	if (c->rep_type == NBD_REP_INFO)
		return c->opt == NBD_OPT_GO;
	return c->rep_type == NBD_REP_ACK || c->rep_type & NBD_REP_ERR;
}

static void rx_reply(struct nbd_client *c)
{
	c->rep_type = be32(c->hdr + 12);
	c->rep_len = be32(c->hdr + 16);
	if (be64(c->hdr) != NBD_OPT_REPLY_MAGIC || be32(c->hdr + 8) != c->opt ||
	    !expected(c))
		nbd_fail(c, NBD_E_PROTOCOL);
	else if (c->rep_len > REPLY_MAX)
		nbd_fail(c, NBD_E_LENGTH);
	else if (c->rep_type & NBD_REP_ERR)
		keep_text(c, c->rep_len, rx_error_text);
	else if (c->step == STEP_EXTRA)
		c->cfg->extra->reply(c);
	else if (c->rep_type == NBD_REP_ACK && c->rep_len == 0)
		rx_ack(c);
	else if (c->rep_type == NBD_REP_INFO && c->rep_len >= 2)
		nbd_expect(c, rx_info_type, c->hdr, 2);
	else if (c->rep_type == NBD_REP_SERVER && c->rep_len >= 4)
		nbd_expect(c, rx_item_len, c->hdr, 4);
	else
		nbd_fail(c, NBD_E_LENGTH);
}

void nbd_await_reply(struct nbd_client *c)
{
	nbd_expect(c, rx_reply, c->hdr, NBD_OPT_REPLY_SIZE);
}

/*
 * An attacker could have sent the replies before TLS: forget all of them
 * (proto.md, "NBD_OPT_STARTTLS").
 */
void nbd_tls_done(struct nbd_client *c)
{
	if (c->stop != NBD_TLS) {
		nbd_fail(c, NBD_E_PARAM);
		return;
	}
	memset(&c->exp, 0, sizeof(c->exp));
	c->got_export = c->has_context = false;
	c->replies = NBD_SIMPLE;
	c->name_len = c->text_len = 0;
	c->stop = 0;
	c->step = nbd_first_step(c);
	nbd_send_option(c);
}
