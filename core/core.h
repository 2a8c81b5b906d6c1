/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to core/: what its files know of each other. */
#ifndef NBD_CORE_H
#define NBD_CORE_H

#include "core/nbd.h"

/*
 * A reply to an option longer than this is not believed.  The longest that
 * the protocol allows is a list entry: two strings of 4096 and a length.
 */
#define REPLY_MAX (64u * 1024u)

/* What is negotiated, in this order; hello.c starts it, opt.c goes on. */
enum step {
	STEP_HELLO,
	STEP_TLS,
	STEP_EXTRA,	  /* what cfg->extra asks for */
	STEP_GOAL,	  /* GO or LIST */
	STEP_EXPORT_NAME, /* for servers without GO */
	STEP_READY,
	STEP_BYE, /* goodbye queued; closed once it is sent */
};

/* memcpy and friends are all that core/ asks of its surroundings. */
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memset(void *to, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);

/* What more than simple replies needs of the handshake: opt.c calls these. */
struct nbd_extra {
	void (*ask)(struct nbd_client *c); /* queues and awaits an option */
	/* A reply that is no error: its head is in hdr, c->rep_len follow. */
	void (*reply)(struct nbd_client *c);
	void (*refused)(struct nbd_client *c, int err);
	/* of requests and replies, for NBD_EXTENDED */
	const struct nbd_format *format;
};

/* What nbd_start() installs: engine.c calls these from then on. */
struct nbd_io_ops {
	unsigned (*state)(const struct nbd_client *c);
	unsigned (*send_iov)(struct nbd_client *c, struct nbd_iov v[],
			     unsigned max);
	void (*send_ack)(struct nbd_client *c, size_t len);
	void (*close)(struct nbd_client *c);
	void (*failed)(struct nbd_client *c);
};

/* engine.c */
/* The first error sticks, and then the engine is inert. */
void nbd_fail(struct nbd_client *c, int err);
/* The next len bytes go to `to` (NULL: discarded), then full() runs. */
void nbd_expect(struct nbd_client *c, void (*full)(struct nbd_client *),
		void *to, size_t len);
/* Stop with no window until the caller acts on `why` (NBD_TLS, ...). */
void nbd_stop(struct nbd_client *c, unsigned why);
/* Append a piece to what is sent. */
void nbd_queue(struct nbd_client *c, const void *p, size_t len);

/* opt.c */
/* Sends the option of c->step and awaits its reply. */
void nbd_send_option(struct nbd_client *c);
/* Awaits one more reply to the option in hand. */
void nbd_await_reply(struct nbd_client *c);
/* Queues the head of an option with len bytes of data. */
void nbd_queue_option(struct nbd_client *c, uint32_t opt, size_t len);
/* The same, with the export's name and its length for a beginning. */
void nbd_queue_named(struct nbd_client *c, uint32_t opt, size_t len);
/* What comes once the connection is as private as it will be. */
uint8_t nbd_first_step(const struct nbd_client *c);
/* Keeps the first of len bytes as nbd_name(); what is left: c->rep_len. */
void nbd_keep_name(struct nbd_client *c, uint32_t len,
		   void (*then)(struct nbd_client *));

#endif
