/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transmission phase against a scripted server: a client that has the
 * handshake behind it, memory that ends at unreadable pages, and the words
 * of each kind of reply.
 */
#ifndef TESTS_CORE_PHASE_H
#define TESTS_CORE_PHASE_H

#include "core/nbd_io.h"
#include "tests/core/script.h"
#include "tests/guard.h"

#define ALL_FLAGS                                                             \
	(NBD_FLAG_HAS_FLAGS | NBD_FLAG_SEND_FLUSH | NBD_FLAG_SEND_FUA |       \
	 NBD_FLAG_SEND_TRIM | NBD_FLAG_SEND_WRITE_ZEROES | NBD_FLAG_SEND_DF | \
	 NBD_FLAG_SEND_CACHE | NBD_FLAG_SEND_FAST_ZERO)
#define EXPORT_SIZE ((uint64_t)1 << 40)
#define CONTEXT	    0x01020304u
#define BUF_MAX	    8192

struct phase {
	struct script s;
	struct nbd_client *c;
	struct nbd_io *io;
	unsigned char *buf; /* len bytes that end at an unreadable page */
	struct guard client_mem, io_mem, buf_mem;
	enum nbd_replies kind;
	uint16_t flags;			 /* of the export */
	uint32_t min_block, max_payload; /* 0: not told */
	size_t step, split;		 /* how replies are cut */
	/* by slot: the last request, and how many there were */
	struct nbd_op asked[CONFIG_CORE_MAX_REQS];
	uint32_t turns[CONFIG_CORE_MAX_REQS];
};

static struct phase p;

static int phase_setup(void **state)
{
	(void)state;
	memset(&p, 0, sizeof(p));
	p.client_mem = guard_new(sizeof(*p.c));
	p.io_mem = guard_new(sizeof(*p.io));
	p.buf_mem = guard_new(BUF_MAX);
	p.c = guard_end(&p.client_mem, sizeof(*p.c));
	p.io = guard_end(&p.io_mem, sizeof(*p.io));
	p.flags = ALL_FLAGS;
	p.step = p.split = SCRIPT_MAX;
	return 0;
}

static int phase_teardown(void **state)
{
	(void)state;
	guard_free(&p.client_mem);
	guard_free(&p.io_mem);
	guard_free(&p.buf_mem);
	return 0;
}

static inline void say_context(uint32_t opt, uint32_t id, const char *name)
{
	say_reply(&p.s, opt, NBD_REP_META_CONTEXT, 4 + (uint32_t)strlen(name));
	say(&p.s, id, 4);
	say_bytes(&p.s, name, strlen(name));
}

/* A handshake that gives p.kind, then nbd_start(). */
static inline void begin(void)
{
	static struct nbd_config cfg;
	uint32_t opt = p.kind == NBD_EXTENDED ? NBD_OPT_EXTENDED_HEADERS
					      : NBD_OPT_STRUCTURED_REPLY;

	cfg = (struct nbd_config){ .name = "disk", .name_len = 4 };
	script_start(&p.s);
	say_greeting(&p.s, NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES);
	if (p.kind != NBD_SIMPLE) {
		cfg.extra = p.kind == NBD_EXTENDED ? &nbd_extended
						   : &nbd_structured;
		say_reply(&p.s, opt, NBD_REP_ACK, 0);
		say_context(NBD_OPT_SET_META_CONTEXT, CONTEXT,
			    "base:allocation");
		say_reply(&p.s, NBD_OPT_SET_META_CONTEXT, NBD_REP_ACK, 0);
	}
	if (p.min_block)
		say_info_block(&p.s, p.min_block, 4096, p.max_payload);
	say_info_export(&p.s, EXPORT_SIZE, p.flags);
	say_reply(&p.s, NBD_OPT_GO, NBD_REP_ACK, 0);
	nbd_init(p.c, &cfg);
	play(&p.s, p.c);
	assert_int_equal(nbd_state(p.c), NBD_READY);
	assert_int_equal(p.s.fed, p.s.n);
	assert_int_equal(nbd_replies(p.c), p.kind);
	script_start(&p.s);
	p.s.step = p.step;
	p.s.split = p.split;
	memset(p.io, 0xa5, sizeof(*p.io));
	memset(p.turns, 0, sizeof(p.turns));
	nbd_start(p.c, p.io);
	assert_int_equal(nbd_state(p.c), NBD_READY);
}

/* ---- requests ---- */

static inline int submit(const struct nbd_op *op)
{
	int slot = nbd_submit(p.c, op);

	assert_true(slot < CONFIG_CORE_MAX_REQS);
	if (slot >= 0) {
		p.asked[slot] = *op;
		p.turns[slot]++;
	}
	return slot;
}

/* A request without payload; its slot. */
static inline int ask(uint16_t type, uint64_t offset, uint64_t len)
{
	struct nbd_op op = { .type = type, .offset = offset, .len = len };

	return submit(&op);
}

/* A read (or write) of len bytes, at the end of the memory, in one piece. */
static inline int ask_io(uint16_t type, uint16_t flags, uint64_t offset,
			 size_t len)
{
	static struct nbd_iov v[2 * CONFIG_CORE_MAX_REQS];
	static unsigned turn;
	struct nbd_iov *one = &v[turn++ % ARRAY_SIZE(v)];
	struct nbd_op op = { .type = type,
			     .flags = flags,
			     .offset = offset,
			     .len = len,
			     .iov = one,
			     .n_iov = 1 };

	p.buf = guard_end(&p.buf_mem, len);
	*one = (struct nbd_iov){ p.buf, len };
	return submit(&op);
}

static inline int ask_read(uint64_t offset, size_t len)
{
	return ask_io(NBD_CMD_READ, 0, offset, len);
}

static inline uint64_t cookie(int slot)
{
	assert_in_range(slot, 0, CONFIG_CORE_MAX_REQS - 1);
	return (uint64_t)p.turns[slot] << 32 | (uint32_t)slot;
}

/* ---- replies ---- */

static inline void say_simple(uint64_t to, uint32_t error)
{
	say(&p.s, NBD_SIMPLE_MAGIC, 4);
	say(&p.s, error, 4);
	say(&p.s, to, 8);
}

/* The head of a chunk, in the format that was negotiated. */
static inline void say_chunk(uint16_t flags, uint16_t type, uint64_t to,
			     uint64_t len)
{
	bool wide = p.kind == NBD_EXTENDED;
	uint32_t slot = (uint32_t)to;

	say(&p.s, wide ? NBD_EXT_REPLY_MAGIC : NBD_CHUNK_MAGIC, 4);
	say(&p.s, flags, 2);
	say(&p.s, type, 2);
	say(&p.s, to, 8);
	if (wide)
		say(&p.s,
		    slot < CONFIG_CORE_MAX_REQS ? p.asked[slot].offset : 0, 8);
	say(&p.s, len, wide ? 8 : 4);
}

static inline void say_none(uint64_t to)
{
	say_chunk(NBD_REPLY_DONE, NBD_REPLY_NONE, to, 0);
}

static inline void say_data(uint16_t flags, uint64_t to, uint64_t offset,
			    const void *bytes, size_t len)
{
	say_chunk(flags, NBD_REPLY_DATA, to, len + 8);
	say(&p.s, offset, 8);
	say_bytes(&p.s, bytes, len);
}

static inline void say_hole(uint16_t flags, uint64_t to, uint64_t offset,
			    uint32_t len)
{
	say_chunk(flags, NBD_REPLY_HOLE, to, 12);
	say(&p.s, offset, 8);
	say(&p.s, len, 4);
}

static inline void say_error(uint16_t flags, uint64_t to, uint32_t error,
			     const char *text)
{
	say_chunk(flags, 0x8001, to, 6 + strlen(text));
	say(&p.s, error, 4);
	say(&p.s, strlen(text), 2);
	say_bytes(&p.s, text, strlen(text));
}

static inline void say_error_at(uint16_t flags, uint64_t to, uint32_t error,
				const char *text, uint64_t offset)
{
	say_chunk(flags, NBD_REPLY_ERROR_OFFSET, to, 14 + strlen(text));
	say(&p.s, error, 4);
	say(&p.s, strlen(text), 2);
	say_bytes(&p.s, text, strlen(text));
	say(&p.s, offset, 8);
}

/* The head of a status chunk of n extents, which follow by say_extent(). */
static inline void say_status(uint16_t flags, uint64_t to, uint32_t context,
			      uint32_t n)
{
	if (p.kind == NBD_EXTENDED) {
		say_chunk(flags, NBD_REPLY_STATUS_EXT, to, 8 + 16ull * n);
		say(&p.s, context, 4);
		say(&p.s, n, 4);
	} else {
		say_chunk(flags, NBD_REPLY_STATUS, to, 4 + 8ull * n);
		say(&p.s, context, 4);
	}
}

static inline void say_extent(uint64_t len, uint64_t flags)
{
	say(&p.s, len, p.kind == NBD_EXTENDED ? 8 : 4);
	say(&p.s, flags, p.kind == NBD_EXTENDED ? 8 : 4);
}

/* ---- what came of it ---- */

/* Plays what was said; the request of the slot must then be the finished. */
static inline struct nbd_req *finished(int slot)
{
	struct nbd_req *r;

	play(&p.s, p.c);
	assert_int_equal(nbd_error(p.c), 0);
	assert_int_equal(p.s.fed, p.s.n);
	assert_true(nbd_state(p.c) & NBD_DONE);
	r = nbd_reap(p.c);
	assert_non_null(r);
	assert_int_equal(r->slot, slot);
	return r;
}

static inline void assert_result(int slot, int result)
{
	struct nbd_req *r = finished(slot);

	assert_int_equal(nbd_req_result(r), result);
	nbd_release(p.c, r);
}

static inline void assert_zeroes(const unsigned char *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		assert_int_equal(at[i], 0);
}

/* The failure is fatal, and every request comes back with it. */
static inline void assert_fatal(int err)
{
	struct nbd_req *r;
	size_t len;

	play(&p.s, p.c);
	assert_int_equal(nbd_error(p.c), err);
	assert_int_equal(nbd_state(p.c) & ~NBD_DONE, NBD_CLOSED);
	assert_null(nbd_recv_buf(p.c, &len));
	while ((r = nbd_reap(p.c))) {
		assert_int_equal(nbd_req_result(r), err);
		if (r->op.type == NBD_CMD_READ)
			for (unsigned i = 0; i < r->op.n_iov; i++)
				assert_zeroes(r->op.iov[i].base,
					      r->op.iov[i].len);
		nbd_release(p.c, r);
	}
	assert_int_equal(nbd_state(p.c), NBD_CLOSED);
}

/* Runs a scenario with its replies cut in every possible place and size. */
static inline void at_every_split(void (*scenario)(void))
{
	size_t n;

	scenario();
	n = p.s.n;
	for (p.split = 0; p.split <= n; p.split++)
		scenario();
	p.split = SCRIPT_MAX;
	for (p.step = 1; p.step <= 70; p.step++)
		scenario();
	p.step = SCRIPT_MAX;
}

/* The same for structured and for extended replies. */
static inline void at_every_split_of_both(void (*scenario)(void))
{
	p.kind = NBD_STRUCTURED;
	at_every_split(scenario);
	p.kind = NBD_EXTENDED;
	at_every_split(scenario);
}

#define AT   100u /* offset of the read */
#define DONE NBD_REPLY_DONE

static inline int begin_read(size_t len)
{
	int slot;

	begin();
	slot = ask_read(AT, len);
	hear(&p.s, p.c);
	return slot;
}

#define PHASE_TEST(f) \
	cmocka_unit_test_setup_teardown(f, phase_setup, phase_teardown)

#endif
