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
	STEP_GOAL,	  /* GO or LIST */
	STEP_EXPORT_NAME, /* for servers without GO */
	STEP_READY,
	STEP_BYE, /* goodbye queued; closed once it is sent */
};

/* memcpy and friends are all that core/ asks of its surroundings. */
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memset(void *to, int c, size_t n);

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

/* hello.c */
void nbd_hello(struct nbd_client *c);

/* opt.c */
/* Sends the option of c->step and awaits its reply. */
void nbd_send_option(struct nbd_client *c);
/* Awaits one more reply to the option in hand. */
void nbd_await_reply(struct nbd_client *c);
/* Queues an option without data that gets no answer, NBD_OPT_ABORT. */
void nbd_queue_abort(struct nbd_client *c);

#endif
