/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a connection begins and ends: the greeting and the client flags
 * (proto.md, "Newstyle negotiation"), and the goodbye.
 *
 *   NBDMAGIC --> IHAVEOPT, handshake flags --> client flags, first option
 *           '--> oldstyle: refused
 */
#include "core/be.h"
#include "core/core.h"
#include "core/nbd_io.h"
#include "core/wire.h"

static void rx_flags(struct nbd_client *c)
{
	uint16_t flags = be16(c->hdr + 16);

	c->fixed = flags & NBD_FLAG_FIXED_NEWSTYLE;
	c->no_zeroes = flags & NBD_FLAG_NO_ZEROES;
	/* without "fixed" a server knows no option but EXPORT_NAME */
	if (!c->fixed && (c->cfg->tls || c->cfg->goal != NBD_GOAL_EXPORT)) {
		nbd_fail(c, c->cfg->tls ? NBD_E_NO_TLS : NBD_E_NOT_FIXED);
		return;
	}
	/*
	 * Echo only the two flags that we know: a server must drop a client
	 * that sets others.  They are sent together with the first option.
	 */
	put32(c->out, flags & (NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES));
	nbd_queue(c, c->out, 4);
	if (!c->fixed)
		c->step = STEP_EXPORT_NAME;
	else if (c->cfg->tls)
		c->step = STEP_TLS;
	else
		c->step = nbd_first_step(c);
	nbd_send_option(c);
}

static void rx_second_magic(struct nbd_client *c)
{
	uint64_t magic = be64(c->hdr + 8);

	if (magic == NBD_IHAVEOPT)
		nbd_expect(c, rx_flags, c->hdr + 16, 2);
	else
		nbd_fail(c, magic != NBD_OLDSTYLE ? NBD_E_NOT_NBD
			    : c->cfg->tls	  ? NBD_E_NO_TLS
						  : NBD_E_OLDSTYLE);
}

/* Read 8 bytes first: a server of another protocol may never send 16. */
static void rx_magic(struct nbd_client *c)
{
	if (be64(c->hdr) == NBD_MAGIC)
		nbd_expect(c, rx_second_magic, c->hdr + 8, 8);
	else
		nbd_fail(c, NBD_E_NOT_NBD);
}

void nbd_init(struct nbd_client *c, const struct nbd_config *cfg)
{
	memset(c, 0, sizeof(*c));
	c->cfg = cfg;
	if (cfg->name_len > NBD_STRING_MAX ||
	    cfg->context_len > NBD_STRING_MAX ||
	    (cfg->goal == NBD_GOAL_CONTEXTS && !cfg->extra))
		nbd_fail(c, NBD_E_PARAM);
	else
		nbd_expect(c, rx_magic, c->hdr, 8);
}

void nbd_close(struct nbd_client *c)
{
	if (c->io) {
		c->io->ops->close(c);
		return;
	}
	if (c->stop == NBD_READY) {
		/* NBD_CMD_DISC: everything but magic and type is zero */
		memset(c->out, 0, NBD_REQUEST_SIZE);
		put32(c->out, NBD_REQUEST_MAGIC);
		put16(c->out + 6, NBD_CMD_DISC);
		nbd_queue(c, c->out, NBD_REQUEST_SIZE);
	} else if (c->stop == NBD_LISTED || c->stop == NBD_ITEM) {
		nbd_queue_option(c, NBD_OPT_ABORT, 0);
	} else {
		return;
	}
	c->step = STEP_BYE;
	nbd_stop(c, 0);
}

/* The options of cfg->extra. */
static const char *extra_name(uint32_t opt)
{
	switch (opt) {
	case NBD_OPT_EXTENDED_HEADERS:
		return "NBD_OPT_EXTENDED_HEADERS";
	case NBD_OPT_STRUCTURED_REPLY:
		return "NBD_OPT_STRUCTURED_REPLY";
	case NBD_OPT_SET_META_CONTEXT:
		return "NBD_OPT_SET_META_CONTEXT";
	default:
		return "NBD_OPT_LIST_META_CONTEXT";
	}
}

const char *nbd_stage(const struct nbd_client *c)
{
	static const char *const stage[] = {
		[STEP_HELLO] = "the greeting",
		[STEP_TLS] = "NBD_OPT_STARTTLS",
		[STEP_GOAL] = "NBD_OPT_GO",
		[STEP_EXPORT_NAME] = "NBD_OPT_EXPORT_NAME",
		[STEP_READY] = "the transmission phase",
		[STEP_BYE] = "the goodbye",
	};

	if (c->step == STEP_GOAL && c->cfg->goal == NBD_GOAL_LIST)
		return "NBD_OPT_LIST";
	if (c->step == STEP_EXTRA)
		return extra_name(c->opt);
	return stage[c->step];
}
