/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server in memory: a script of the bytes that it sends, and a record of
 * those that the client sent.  The script is fed in pieces, so that every
 * message can be split at every byte.
 */
#ifndef TESTS_CORE_SCRIPT_H
#define TESTS_CORE_SCRIPT_H

#include "core/nbd.h"
#include "core/be.h"
#include "core/wire.h"

#include "tests/unit.h"

#define SCRIPT_MAX 32768

struct script {
	unsigned char srv[SCRIPT_MAX]; /* the server's bytes */
	size_t n;		       /* how many */
	size_t fed;		       /* of them taken by the client */
	unsigned char cli[SCRIPT_MAX]; /* the client's bytes */
	size_t sent;
	size_t step;  /* no piece is longer */
	size_t split; /* a piece ends here */
};

static inline void script_start(struct script *s)
{
	memset(s, 0, sizeof(*s));
	s->step = s->split = SCRIPT_MAX;
}

static inline void say(struct script *s, uint64_t v, size_t bytes)
{
	assert_true(s->n + bytes <= SCRIPT_MAX);
	for (size_t i = bytes; i-- > 0; v >>= 8)
		s->srv[s->n + i] = (unsigned char)v;
	s->n += bytes;
}

static inline void say_bytes(struct script *s, const void *p, size_t len)
{
	assert_true(s->n + len <= SCRIPT_MAX);
	memcpy(s->srv + s->n, p, len);
	s->n += len;
}

static inline void say_fill(struct script *s, unsigned char c, size_t len)
{
	assert_true(s->n + len <= SCRIPT_MAX);
	memset(s->srv + s->n, c, len);
	s->n += len;
}

static inline void say_greeting(struct script *s, uint16_t flags)
{
	say(s, NBD_MAGIC, 8);
	say(s, NBD_IHAVEOPT, 8);
	say(s, flags, 2);
}

static inline void say_reply(struct script *s, uint32_t opt, uint32_t type,
			     uint32_t len)
{
	say(s, NBD_OPT_REPLY_MAGIC, 8);
	say(s, opt, 4);
	say(s, type, 4);
	say(s, len, 4);
}

static inline void say_info_export(struct script *s, uint64_t size,
				   uint16_t flags)
{
	say_reply(s, NBD_OPT_GO, NBD_REP_INFO, 12);
	say(s, NBD_INFO_EXPORT, 2);
	say(s, size, 8);
	say(s, flags, 2);
}

static inline void say_info_block(struct script *s, uint32_t min, uint32_t pref,
				  uint32_t max)
{
	say_reply(s, NBD_OPT_GO, NBD_REP_INFO, 14);
	say(s, NBD_INFO_BLOCK_SIZE, 2);
	say(s, min, 4);
	say(s, pref, 4);
	say(s, max, 4);
}

static inline void say_info_text(struct script *s, uint16_t type,
				 const char *text)
{
	say_reply(s, NBD_OPT_GO, NBD_REP_INFO, (uint32_t)strlen(text) + 2);
	say(s, type, 2);
	say_bytes(s, text, strlen(text));
}

static inline void say_item(struct script *s, const char *name,
			    const char *text)
{
	say_reply(s, NBD_OPT_LIST, NBD_REP_SERVER,
		  (uint32_t)(strlen(name) + strlen(text) + 4));
	say(s, strlen(name), 4);
	say_bytes(s, name, strlen(name));
	say_bytes(s, text, strlen(text));
}

static inline size_t piece(const struct script *s, size_t want)
{
	size_t max = s->n - s->fed;

	if (s->fed < s->split && max > s->split - s->fed)
		max = s->split - s->fed;
	if (max > s->step)
		max = s->step;
	return want < max ? want : max;
}

/* Takes what the client wants to send, s->step bytes at a time. */
static inline void hear(struct script *s, struct nbd_client *c)
{
	while (nbd_state(c) & NBD_SEND) {
		struct nbd_iov v[4];
		size_t len;

		assert_true(nbd_send_iov(c, v, 4) > 0);
		len = v[0].len < s->step ? v[0].len : s->step;
		assert_true(len > 0 && s->sent + len <= SCRIPT_MAX);
		memcpy(s->cli + s->sent, v[0].base, len);
		s->sent += len;
		nbd_send_ack(c, len);
	}
}

/* Runs both sides until the client stops or the script is over. */
static inline void play(struct script *s, struct nbd_client *c)
{
	for (;;) {
		unsigned char *to;
		size_t len;

		hear(s, c);
		to = nbd_recv_buf(c, &len);
		assert_int_equal(!to, !(nbd_state(c) & NBD_RECV));
		len = piece(s, len);
		if (!to || !len)
			return;
		memcpy(to, s->srv + s->fed, len);
		s->fed += len;
		nbd_recv_ack(c, len);
	}
}

#endif
