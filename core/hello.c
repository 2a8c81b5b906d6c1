/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The greeting and the client flags (proto.md, "Newstyle negotiation").
 *
 *   NBDMAGIC --> IHAVEOPT, handshake flags --> client flags, first option
 *           '--> oldstyle: refused
 */
#include "core/be.h"
#include "core/core.h"
#include "core/wire.h"

static void rx_flags(struct nbd_client *c)
{
	uint16_t flags = be16(c->hdr + 16);

	c->fixed = flags & NBD_FLAG_FIXED_NEWSTYLE;
	c->no_zeroes = flags & NBD_FLAG_NO_ZEROES;
	/* without "fixed" a server knows EXPORT_NAME and nothing else */
	if (!c->fixed && (c->cfg->tls || c->cfg->goal != NBD_GOAL_EXPORT)) {
		nbd_fail(c, c->cfg->tls ? NBD_E_NO_TLS : NBD_E_NOT_FIXED);
		return;
	}
	/*
	 * Only the two flags that we know are echoed: a server must drop a
	 * client that sets others.  They travel with the first option.
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

/* The magic alone first: another service may never send 16 bytes. */
static void rx_magic(struct nbd_client *c)
{
	if (be64(c->hdr) == NBD_MAGIC)
		nbd_expect(c, rx_second_magic, c->hdr + 8, 8);
	else
		nbd_fail(c, NBD_E_NOT_NBD);
}

void nbd_hello(struct nbd_client *c)
{
	nbd_expect(c, rx_magic, c->hdr, 8);
}
