/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server that says anything, to a client that asks for anything.
 *
 *	byte 0   how replies are negotiated; 0x04: the handshake is fuzzed
 *		 too, else it is a good one and the input is all replies
 *	byte 1   seeds the sizes of the pieces of the second run
 *	byte 2   requests at a time less one; 0x08: nbd_close() after the last
 *	3 to 14  a request each: type, and a variant of it
 *	the rest what the server says
 *
 * The same input goes through whole windows and through small pieces, which
 * must give the same.  A third run receives at random before it has sent all:
 * a server may answer early, so only what holds for every run is checked.
 *
 * Every byte that the engine writes is watched: only
 * in memory that a request gave it, no byte twice; a read that succeeds has
 * all of its bytes, one that fails is all zeroes, and no request is lost.
 */
#include "core/be.h"
#include "core/nbd_io.h"
#include "core/wire.h"

#include <stdlib.h>
#include <string.h>

#define OPS	12
#define RED	16 /* bytes that nobody may touch */
#define BUF_MAX 512
#define FILL	0xa5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The memory of one request. */
struct job {
	unsigned char red0[RED];
	unsigned char buf[BUF_MAX];
	unsigned char red1[RED];
	struct nbd_extent extents[4];
	unsigned char red2[RED];
	struct nbd_iov iov[4];
	bool got[BUF_MAX]; /* received as payload */
	size_t len;	   /* of buf, that a read may write */
	unsigned max_extents;
	bool out; /* submitted, not yet reaped */
};

struct run {
	struct nbd_client c;
	struct nbd_io io;
	struct job job[OPS];
	const uint8_t *ops; /* OPS of them */
	const uint8_t *p;
	size_t left;
	uint32_t seed; /* 0: whole windows */
	uint32_t digest;
	unsigned next, out; /* job to submit next; how many are out */
	bool close, started;
	bool mixed; /* sends and receives in random order */
};

static struct run one, two, three;

static void must(bool yes)
{
	if (!yes)
		abort();
}

static void digest(struct run *w, const void *p, size_t len)
{
	const uint8_t *b = p;

	while (len--)
		w->digest = (w->digest ^ *b++) * 16777619u;
}

static uint32_t next_random(struct run *w)
{
	w->seed = w->seed * 1664525u + 1013904223u;
	return w->seed >> 16;
}

static size_t piece(struct run *w, size_t n)
{
	return w->seed ? 1 + next_random(w) % (n < 9 ? n : 9) : n;
}

static bool sends_next(struct run *w, unsigned state)
{
	return state & NBD_SEND &&
	       !(state & NBD_RECV && w->mixed && next_random(w) & 1);
}

/* ---- requests ---- */

static struct nbd_op make_op(struct run *w, struct job *j, uint8_t code)
{
	static const uint16_t lens[] = { 1, 8, 64, BUF_MAX };
	unsigned variant = code >> 3;
	struct nbd_op op = { .type = code & 7,
			     .offset = 100,
			     .len = lens[variant & 3],
			     .iov = j->iov,
			     .extents = j->extents,
			     .user = j };
	size_t cut = op.len / 3;

	memset(j, FILL, offsetof(struct job, iov));
	memset(j->got, 0, sizeof(j->got));
	j->len = op.type == NBD_CMD_READ ? op.len : 0;
	j->max_extents = op.type == NBD_CMD_BLOCK_STATUS ? 1 + variant % 4 : 0;
	op.max_extents = j->max_extents;
	if (op.type == NBD_CMD_FLUSH)
		op.offset = op.len = 0;
	if (variant & 4 && op.type == NBD_CMD_READ && nbd_replies(&w->c))
		op.flags = NBD_CMD_FLAG_DF;
	if (variant & 4 && op.type == NBD_CMD_BLOCK_STATUS)
		op.flags = NBD_CMD_FLAG_REQ_ONE;
	if (op.type == NBD_CMD_READ || op.type == NBD_CMD_WRITE) {
		j->iov[0] = (struct nbd_iov){ j->buf + cut, op.len - cut };
		j->iov[1] = (struct nbd_iov){ NULL, 0 };
		j->iov[2] = (struct nbd_iov){ j->buf, cut };
		op.n_iov = 3;
	}
	return op;
}

static void submit(struct run *w)
{
	unsigned at_a_time = 1 + (w->ops[-1] & 7);

	while (w->next < OPS && w->out < at_a_time &&
	       nbd_state(&w->c) & NBD_READY) {
		struct job *j = &w->job[w->next];
		struct nbd_op op = make_op(w, j, w->ops[w->next]);
		int slot = nbd_submit(&w->c, &op);

		w->next++;
		must(slot > NBD_E_LAST && slot != NBD_E_BUSY);
		must(slot < CONFIG_CORE_MAX_REQS);
		if (slot < 0)
			continue;
		must(!j->out);
		j->out = true;
		w->out++;
	}
	if (w->next == OPS && w->close)
		nbd_close(&w->c);
}

static bool is_filled(const void *p, int fill, size_t len)
{
	const unsigned char *b = p;

	while (len--)
		if (*b++ != fill)
			return false;
	return true;
}

static void check_memory(const struct job *j)
{
	must(is_filled(j->red0, FILL, RED) && is_filled(j->red1, FILL, RED) &&
	     is_filled(j->red2, FILL, RED));
	must(is_filled(j->buf + j->len, FILL, BUF_MAX - j->len));
	must(is_filled(j->extents + j->max_extents, FILL,
		       sizeof(j->extents) -
			       j->max_extents * sizeof(j->extents[0])));
}

static void check_extents(const struct job *j, const struct nbd_req *r)
{
	uint64_t left = r->op.len;

	must(r->n_extents > 0 && r->n_extents <= j->max_extents);
	for (unsigned i = 0; i < r->n_extents; i++) {
		must(j->extents[i].len > 0 && j->extents[i].len <= left);
		left -= j->extents[i].len;
	}
}

static void check_finished(struct run *w, const struct nbd_req *r)
{
	struct job *j = r->op.user;
	int result = nbd_req_result(r);

	must(j->out);
	j->out = false;
	w->out--;
	must(result > NBD_E_LAST && *nbd_result_text(result));
	check_memory(j);
	if (result) {
		must(is_filled(j->buf, 0, j->len) && r->n_extents == 0);
		must(is_filled(j->extents, 0,
			       j->max_extents * sizeof(j->extents[0])));
	} else if (j->max_extents) {
		check_extents(j, r);
	}
	/* what was not received is a hole, and cleared */
	for (size_t i = 0; i < j->len; i++)
		must(result || j->got[i] || j->buf[i] == 0);
	digest(w, &result, sizeof(result));
	digest(w, j->buf, j->len);
	digest(w, j->extents, r->n_extents * sizeof(j->extents[0]));
}

static void reap(struct run *w)
{
	struct nbd_req *r;

	while (nbd_state(&w->c) & NBD_DONE) {
		r = nbd_reap(&w->c);
		must(r != NULL);
		check_finished(w, r);
		nbd_release(&w->c, r);
	}
	must(!nbd_reap(&w->c));
}

/* ---- bytes ---- */

static bool is_within(const void *p, size_t len, const void *of, size_t size)
{
	uintptr_t a = (uintptr_t)p, b = (uintptr_t)of;

	return a >= b && a - b <= size && len <= size - (a - b);
}

/* The window is the client's own or of a request that waits. */
static void check_window(struct run *w, const unsigned char *to, size_t len,
			 size_t got)
{
	if (is_within(to, len, &w->c, sizeof(w->c)))
		return;
	for (unsigned i = 0; i < OPS; i++) {
		struct job *j = &w->job[i];

		if (!j->out)
			continue;
		if (is_within(to, len, j->extents,
			      j->max_extents * sizeof(j->extents[0])))
			return;
		if (!is_within(to, len, j->buf, j->len))
			continue;
		for (bool *seen = &j->got[to - j->buf]; got--; seen++) {
			must(!*seen);
			*seen = true;
		}
		return;
	}
	abort();
}

/* After a request is reaped, its memory is the caller's again. */
static void check_sent(const struct run *w, const struct nbd_iov *v)
{
	for (unsigned i = 0; i < OPS; i++)
		must(w->job[i].out ||
		     !is_within(v->base, v->len, w->job[i].buf, BUF_MAX));
}

static void take_sent(struct run *w)
{
	struct nbd_iov v[8];
	unsigned n = nbd_send_iov(&w->c, v, 8);
	size_t len;

	must(n > 0 && n <= 8);
	for (unsigned i = 0; i < n; i++) {
		must(v[i].len > 0);
		check_sent(w, &v[i]);
	}
	len = piece(w, v[0].len);
	digest(w, v[0].base, len);
	nbd_send_ack(&w->c, len);
}

/* False when the server has no more to say. */
static bool give(struct run *w)
{
	size_t len, window;
	unsigned char *to = nbd_recv_buf(&w->c, &window);

	must(to && window > 0);
	if (!w->left)
		return false;
	len = piece(w, window < w->left ? window : w->left);
	check_window(w, to, window, len);
	memcpy(to, w->p, len);
	w->p += len;
	w->left -= len;
	nbd_recv_ack(&w->c, len);
	return true;
}

static void start(struct run *w)
{
	nbd_start(&w->c, &w->io);
	w->started = true;
}

static void go_on(struct run *w, unsigned state)
{
	if (state & NBD_TLS)
		nbd_tls_done(&w->c);
	else if (state & NBD_ITEM)
		nbd_next(&w->c);
	else if (state & NBD_READY && !w->started)
		start(w);
	else
		nbd_close(&w->c);
}

static void play(struct run *w)
{
	unsigned state;

	while (!((state = nbd_state(&w->c)) & NBD_CLOSED)) {
		size_t len;

		must(*nbd_stage(&w->c));
		if (w->started) {
			reap(w);
			submit(w);
			state = nbd_state(&w->c);
		}
		if (!(state & NBD_RECV))
			must(!nbd_recv_buf(&w->c, &len) && len == 0);
		if (sends_next(w, state))
			take_sent(w);
		else if (!(state & NBD_RECV))
			go_on(w, state);
		else if (!give(w))
			nbd_transport_error(&w->c, 0);
	}
}

static void run(struct run *w, const struct nbd_config *cfg)
{
	struct nbd_iov v[4];

	w->next = w->out = 0;
	w->started = false;
	w->digest = 2166136261u;
	memset(w->job, 0, sizeof(w->job));
	nbd_init(&w->c, cfg);
	play(w);
	reap(w);
	must(w->out == 0 && nbd_state(&w->c) == NBD_CLOSED);
	must(nbd_send_iov(&w->c, v, 4) == 0);
	must(nbd_error(&w->c) > NBD_E_LAST && nbd_error(&w->c) <= 0);
	must(nbd_error(&w->c) != NBD_E_PARAM);
}

/* ---- a good handshake ---- */

static uint8_t *say(uint8_t *p, uint64_t v, unsigned bytes)
{
	for (unsigned i = bytes; i-- > 0; v >>= 8)
		p[i] = (uint8_t)v;
	return p + bytes;
}

static uint8_t *say_reply(uint8_t *p, uint32_t opt, uint32_t type, uint32_t len)
{
	p = say(p, NBD_OPT_REPLY_MAGIC, 8);
	p = say(p, opt, 4);
	p = say(p, type, 4);
	return say(p, len, 4);
}

static size_t handshake(uint8_t *start, const struct nbd_config *cfg)
{
	uint8_t *p = say(start, NBD_MAGIC, 8);

	p = say(p, NBD_IHAVEOPT, 8);
	p = say(p, 3, 2);
	if (cfg->extra) {
		p = say_reply(p,
			      cfg->extra == &nbd_extended
				      ? NBD_OPT_EXTENDED_HEADERS
				      : NBD_OPT_STRUCTURED_REPLY,
			      NBD_REP_ACK, 0);
		p = say_reply(p, NBD_OPT_SET_META_CONTEXT, NBD_REP_META_CONTEXT,
			      4 + 15);
		p = say(p, 1, 4);
		memcpy(p, "base:allocation", 15);
		p = say_reply(p + 15, NBD_OPT_SET_META_CONTEXT, NBD_REP_ACK, 0);
	}
	p = say_reply(p, NBD_OPT_GO, NBD_REP_INFO, 12);
	p = say(p, NBD_INFO_EXPORT, 2);
	p = say(p, 1 << 20, 8);
	p = say(p, 0xffd, 2); /* all flags but READ_ONLY */
	p = say_reply(p, NBD_OPT_GO, NBD_REP_ACK, 0);
	return (size_t)(p - start);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct nbd_extra *const extra[] = { NULL, &nbd_structured,
							 &nbd_extended,
							 &nbd_extended };
	static uint8_t input[16384];
	struct nbd_config cfg = { .name = "n", .name_len = 1 };
	size_t n = 0;

	if (size < 3 + OPS || size > sizeof(input) / 2)
		return 0;
	cfg.extra = extra[data[0] & 3];
	if (data[0] & 4) {
		cfg.tls = data[0] & 8;
		if (data[0] & 16)
			cfg.goal = cfg.extra ? NBD_GOAL_CONTEXTS
					     : NBD_GOAL_LIST;
	} else {
		n = handshake(input, &cfg);
	}
	memcpy(input + n, data + 3 + OPS, size - 3 - OPS);
	one.p = two.p = three.p = input;
	one.left = two.left = three.left = n + size - 3 - OPS;
	one.ops = two.ops = three.ops = data + 3;
	one.close = two.close = three.close = data[2] & 8;
	two.seed = three.seed = data[1] + 1u;
	three.mixed = true;
	run(&one, &cfg);
	run(&two, &cfg);
	run(&three, &cfg);
	must(nbd_error(&one.c) == nbd_error(&two.c));
	must(one.left == two.left && one.digest == two.digest);
	return 0;
}
