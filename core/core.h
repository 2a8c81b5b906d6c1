/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to core/: what its files share. */
#ifndef NBD_CORE_H
#define NBD_CORE_H

#include "core/nbd.h"

/*
 * A longer reply to an option is rejected.  The longest that the protocol
 * allows is a list entry: two strings of 4096 bytes and a length.
 */
#define REPLY_MAX (64u * 1024u)

/* The steps of the negotiation, in order; hello.c begins, opt.c continues. */
enum step {
	STEP_HELLO,
	STEP_TLS,
	STEP_EXTRA,	  /* what cfg->extra asks for */
	STEP_GOAL,	  /* GO or LIST */
	STEP_EXPORT_NAME, /* for servers without GO */
	STEP_READY,
	STEP_BYE, /* goodbye queued; closed once it is sent */
};

/* All that core/ needs from its environment. */
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memset(void *to, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);

/* Negotiates a format of replies other than simple; called by opt.c. */
struct nbd_extra {
	void (*ask)(struct nbd_client *c); /* queues an option, awaits reply */
	/* A reply other than an error: head in hdr, c->rep_len bytes follow */
	void (*reply)(struct nbd_client *c);
	void (*refused)(struct nbd_client *c, int err);
	/* for NBD_EXTENDED; others have NULL */
	const struct nbd_format *format;
	const struct nbd_extra *less; /* the next simpler one, or NULL */
};

/* Installed by nbd_start(): engine.c calls these from then on. */
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
/* Stop, without a window, until the caller acts on `why` (NBD_TLS, ...). */
void nbd_stop(struct nbd_client *c, unsigned why);
/* Append a piece to the send queue. */
void nbd_queue(struct nbd_client *c, const void *p, size_t len);

/* opt.c */
/* Sends the option of c->step and awaits its reply. */
void nbd_send_option(struct nbd_client *c);
/* Awaits another reply to the current option. */
void nbd_await_reply(struct nbd_client *c);
/* Queues the head of an option with len bytes of data. */
void nbd_queue_option(struct nbd_client *c, uint32_t opt, size_t len);
/* The same for data that begins with the export's name and its length. */
void nbd_queue_named(struct nbd_client *c, uint32_t opt, size_t len);
/* True for an error after which no other option can succeed. */
bool nbd_is_final(int err);
/* The first step after TLS, or without it. */
uint8_t nbd_first_step(const struct nbd_client *c);
/*
 * Receives a name of len bytes, as much as fits; c->rep_len then counts the
 * rest of the reply.
 */
void nbd_keep_name(struct nbd_client *c, uint32_t len,
		   void (*then)(struct nbd_client *));

#endif
