/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine alone, for callgrind: engine simple|structured|extended READS
 *
 * Reads of 4 KiB, 16 in flight, in a stream that is in memory; the caller
 * moves bytes as a program would that reads and writes sockets.  The bytes
 * are copied by copy(), which the count leaves out.  Prints how many windows
 * a read takes: each is a system call where the transport does not read
 * ahead.
 */
#include "core/nbd_io.h"
#include "core/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 4096u
#define DEPTH 16u

static struct nbd_client c;
static struct nbd_io io;
/* Of each slot the last request: its number there, its offset. */
static uint32_t turns[CONFIG_CORE_MAX_REQS];
static uint64_t offsets[CONFIG_CORE_MAX_REQS];
static unsigned char buf[DEPTH][BLOCK];
static unsigned char stream[65536];
static size_t have, used, calls;

__attribute__((noinline)) static void copy(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
}

static void say(uint64_t v, size_t bytes)
{
	for (size_t i = bytes; i-- > 0; v >>= 8)
		stream[have + i] = (unsigned char)v;
	have += bytes;
}

static void say_reply(uint32_t opt, uint32_t type, uint32_t len)
{
	say(NBD_OPT_REPLY_MAGIC, 8);
	say(opt, 4);
	say(type, 4);
	say(len, 4);
}

static void receive(void)
{
	size_t len;
	unsigned char *to = nbd_recv_buf(&c, &len);

	if (len > have - used)
		len = have - used;
	if (!to || !len) {
		fprintf(stderr, "engine: stuck: %s\n",
			nbd_err_text(nbd_error(&c)));
		exit(1);
	}
	copy(to, stream + used, len);
	used += len;
	calls++;
	nbd_recv_ack(&c, len);
}

static void send_all(void)
{
	while (nbd_state(&c) & NBD_SEND) {
		struct nbd_iov v[64];
		unsigned n = nbd_send_iov(&c, v, 64);
		size_t len = 0;

		while (n > 0)
			len += v[--n].len;
		nbd_send_ack(&c, len);
	}
}

static void connect(struct nbd_config *cfg)
{
	uint32_t opt = cfg->extra == &nbd_extended ? NBD_OPT_EXTENDED_HEADERS
						   : NBD_OPT_STRUCTURED_REPLY;

	say(NBD_MAGIC, 8);
	say(NBD_IHAVEOPT, 8);
	say(3, 2);
	if (cfg->extra) {
		say_reply(opt, NBD_REP_ACK, 0);
		say_reply(NBD_OPT_SET_META_CONTEXT, NBD_REP_ACK, 0);
	}
	say_reply(NBD_OPT_GO, NBD_REP_INFO, 12);
	say(NBD_INFO_EXPORT, 2);
	say((uint64_t)1 << 40, 8);
	say(NBD_FLAG_HAS_FLAGS, 2);
	say_reply(NBD_OPT_GO, NBD_REP_ACK, 0);
	nbd_init(&c, cfg);
	while (nbd_state(&c) & (NBD_SEND | NBD_RECV)) {
		send_all();
		if (nbd_state(&c) & NBD_RECV)
			receive();
	}
	nbd_start(&c, &io);
}

/* The head of a reply to a slot; the payload is what is in the stream. */
static void answer(unsigned slot)
{
	enum nbd_replies kind = nbd_replies(&c);
	uint64_t cookie = (uint64_t)turns[slot] << 32 | slot;
	uint64_t offset = offsets[slot];

	have = used = 0;
	if (kind == NBD_SIMPLE) {
		say(NBD_SIMPLE_MAGIC, 4);
		say(0, 4);
		say(cookie, 8);
	} else {
		say(kind == NBD_EXTENDED ? NBD_EXT_REPLY_MAGIC
					 : NBD_CHUNK_MAGIC,
		    4);
		say(NBD_REPLY_DONE, 2);
		say(NBD_REPLY_DATA, 2);
		say(cookie, 8);
		if (kind == NBD_EXTENDED)
			say(offset, 8);
		say(BLOCK + 8, kind == NBD_EXTENDED ? 8 : 4);
		say(offset, 8);
	}
	have += BLOCK;
}

static void submit(unsigned i, uint64_t offset)
{
	static struct nbd_iov v[DEPTH];
	struct nbd_op op = { .offset = offset,
			     .len = BLOCK,
			     .iov = &v[i],
			     .n_iov = 1,
			     .user = &v[i] };
	int slot;

	v[i] = (struct nbd_iov){ buf[i], BLOCK };
	slot = nbd_submit(&c, &op);
	if (slot < 0)
		exit(1);
	turns[slot]++;
	offsets[slot] = offset;
}

/* What is counted, with what it calls but answer() and copy(). */
__attribute__((noinline)) static void take(uint64_t offset)
{
	struct nbd_req *r;
	struct nbd_iov *v;

	send_all();
	while (!(nbd_state(&c) & NBD_DONE))
		receive();
	r = nbd_reap(&c);
	if (!r || nbd_req_result(r))
		exit(1);
	v = r->op.user;
	nbd_release(&c, r);
	submit((unsigned)((unsigned char *)v->base - buf[0]) / BLOCK, offset);
}

int main(int argc, char **argv)
{
	static struct nbd_config cfg;
	unsigned reads = argc > 2 ? (unsigned)atoi(argv[2]) : 1000;
	const char *kind = argc > 1 ? argv[1] : "simple";

	if (!strcmp(kind, "structured"))
		cfg.extra = &nbd_structured;
	if (!strcmp(kind, "extended"))
		cfg.extra = &nbd_extended;
	connect(&cfg);
	for (unsigned i = 0; i < DEPTH; i++)
		submit(i, (uint64_t)i * BLOCK);
	send_all();
	calls = 0;
	for (unsigned i = 0; i < reads; i++) {
		answer(i % DEPTH);
		take((uint64_t)(i + DEPTH) * BLOCK);
	}
	printf("%.2f\n", (double)calls / reads);
	return 0;
}
