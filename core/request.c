/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests: the table of slots, the send queue and the list of finished
 * requests (proto.md, "Request message").  A slot is in at most one list:
 *
 *   free --submit--> tx --all sent--> (none) --answered--> done --reap-->
 *
 * The cookie is generation << 32 | slot.
 */
#include "core/io.h"

static void push(struct nbd_io *io, uint8_t *first, uint8_t *last, uint8_t i)
{
	io->req[i].next = NO_SLOT;
	if (*first == NO_SLOT)
		*first = i;
	else
		io->req[*last].next = i;
	*last = i;
}

static void finish(struct nbd_io *io, struct nbd_req *r)
{
	r->state = REQ_FINISHED;
	push(io, &io->done_first, &io->done_last, r->slot);
}

/* Clears the caller's memory: stale data must not look like a reply. */
static void forget(struct nbd_req *r)
{
	r->n_extents = 0;
	if (r->op.type == NBD_CMD_BLOCK_STATUS)
		memset(r->op.extents, 0,
		       r->op.max_extents * sizeof(*r->op.extents));
	if (r->op.type == NBD_CMD_READ)
		for (unsigned i = 0; i < r->op.n_iov; i++)
			if (r->op.iov[i].len)
				memset(r->op.iov[i].base, 0, r->op.iov[i].len);
}

static bool is_covered(const struct nbd_req *r)
{
	return r->n_span == 1 && r->span[0].start == 0 &&
	       r->span[0].end == r->op.len;
}

static bool is_complete(const struct nbd_req *r)
{
	if (r->op.type == NBD_CMD_READ)
		return is_covered(r);
	return r->op.type != NBD_CMD_BLOCK_STATUS || r->n_extents;
}

static void close_if_over(struct nbd_client *c)
{
	const struct nbd_io *io = c->io;

	if (io->closing && !io->waiting && io->tx_first == NO_SLOT)
		nbd_stop(c, NBD_CLOSED);
}

static void await_head(struct nbd_client *c)
{
	struct nbd_io *io = c->io;

	io->cur = NULL;
	io->in_head = true;
	if (io->waiting)
		io->format->await(c);
	else
		nbd_expect(c, NULL, c->hdr, 0);
}

static void answered(struct nbd_client *c)
{
	struct nbd_io *io = c->io;
	struct nbd_req *r = io->cur;

	io->waiting--;
	io->reads -= r->op.type == NBD_CMD_READ;
	if (!r->result && !is_complete(r))
		r->result = NBD_E_PARTIAL;
	if (r->result)
		forget(r);
	if (r->result == NBD_ESHUTDOWN)
		io->leaving = true;
	r->state = REQ_ANSWERED;
	if (r->sent)
		finish(io, r);
	await_head(c);
	close_if_over(c);
}

struct nbd_req *nbd_find(const struct nbd_client *c, uint64_t cookie)
{
	uint32_t slot = (uint32_t)cookie;
	struct nbd_req *r;

	if (slot >= CONFIG_CORE_MAX_REQS)
		return NULL;
	r = &c->io->req[slot];
	return r->state == REQ_ASKED && r->gen == cookie >> 32 ? r : NULL;
}

void nbd_end_chunk(struct nbd_client *c)
{
	if (c->io->chunk_flags & NBD_REPLY_DONE)
		answered(c);
	else
		await_head(c);
}

/* ---- sending ---- */

/* The piece at the cursor, which skips pieces without bytes left. */
static bool piece_at(struct nbd_io *io, struct nbd_cursor *k, struct nbd_iov *v)
{
	while (k->at != NO_SLOT) {
		struct nbd_req *r = &io->req[k->at];

		if (k->piece == 0) {
			v->base = r->hdr;
			v->len = io->format->request_size;
		} else if (r->op.type == NBD_CMD_WRITE &&
			   k->piece <= r->op.n_iov) {
			*v = r->op.iov[k->piece - 1];
		} else {
			*k = (struct nbd_cursor){ .at = r->next };
			continue;
		}
		if (k->off < v->len) {
			v->base = (char *)v->base + k->off;
			v->len -= k->off;
			return true;
		}
		k->piece++;
		k->off = 0;
	}
	return false;
}

static unsigned io_send_iov(struct nbd_client *c, struct nbd_iov v[],
			    unsigned max)
{
	struct nbd_cursor k = c->io->tx;
	unsigned n = 0;

	while (n < max && piece_at(c->io, &k, &v[n]))
		k.off += v[n++].len;
	return n;
}

/* The cursor has moved: the requests before it are sent. */
static void settle(struct nbd_io *io)
{
	struct nbd_req *r;

	while (io->tx_first != io->tx.at) {
		r = &io->req[io->tx_first];
		io->tx_first = r->next;
		r->sent = true;
		if (r->state == REQ_QUEUED)
			r->state = REQ_ASKED;
		else if (r->state == REQ_ANSWERED)
			finish(io, r);
	}
	r = &io->req[io->tx.at == NO_SLOT ? 0 : io->tx.at];
	if (io->tx.piece && r->state == REQ_QUEUED)
		r->state = REQ_ASKED;
}

static void io_send_ack(struct nbd_client *c, size_t len)
{
	struct nbd_io *io = c->io;
	struct nbd_iov v;

	while (piece_at(io, &io->tx, &v) && len) {
		size_t n = len < v.len ? len : v.len;

		io->tx.off += n;
		len -= n;
	}
	settle(io);
	if (len)
		nbd_fail(c, NBD_E_PARAM);
	close_if_over(c);
}

static void enqueue(struct nbd_client *c, struct nbd_req *r)
{
	struct nbd_io *io = c->io;
	uint16_t flags = r->op.flags;

	if (r->op.type == NBD_CMD_WRITE && c->replies == NBD_EXTENDED)
		flags |= NBD_CMD_FLAG_PAYLOAD_LEN;
	put32(r->hdr, io->format->request_magic);
	put16(r->hdr + 4, flags);
	put16(r->hdr + 6, r->op.type);
	put32(r->hdr + 8, r->gen);
	put32(r->hdr + 12, r->slot);
	put64(r->hdr + 16, r->op.offset);
	io->format->put_len(r->hdr + 24, r->op.len);
	push(io, &io->tx_first, &io->tx_last, r->slot);
	if (io->tx.at == NO_SLOT)
		io->tx = (struct nbd_cursor){ .at = r->slot };
}

static void io_close(struct nbd_client *c)
{
	struct nbd_io *io = c->io;
	struct nbd_req *r = &io->req[CONFIG_CORE_MAX_REQS];

	if (c->stop || io->closing)
		return;
	io->closing = true;
	c->step = STEP_BYE;
	r->op = (struct nbd_op){ .type = NBD_CMD_DISC };
	enqueue(c, r);
}

static void io_failed(struct nbd_client *c)
{
	struct nbd_io *io = c->io;

	io->tx.at = io->tx_first = NO_SLOT;
	for (unsigned i = 0; i < CONFIG_CORE_MAX_REQS; i++) {
		struct nbd_req *r = &io->req[i];

		if (r->state == REQ_QUEUED || r->state == REQ_ASKED) {
			r->result = nbd_error(c);
			forget(r);
			finish(io, r);
		} else if (r->state == REQ_ANSWERED) {
			finish(io, r);
		}
	}
}

static unsigned io_state(const struct nbd_client *c)
{
	const struct nbd_io *io = c->io;
	unsigned mask = 0;

	if (io->done_first != NO_SLOT)
		mask |= NBD_DONE;
	if (io->tx_first != NO_SLOT)
		mask |= NBD_SEND;
	if (!c->stop && !io->closing && !io->leaving && io->free != NO_SLOT)
		mask |= NBD_READY;
	return mask;
}

static const struct nbd_io_ops io_ops = {
	.state = io_state,
	.send_iov = io_send_iov,
	.send_ack = io_send_ack,
	.close = io_close,
	.failed = io_failed,
};

void nbd_io_init(struct nbd_client *c, struct nbd_io *io,
		 const struct nbd_format *format)
{
	memset(io, 0, sizeof(*io));
	io->ops = &io_ops;
	io->format = format;
	io->tx.at = io->tx_first = io->done_first = NO_SLOT;
	for (unsigned i = 0; i <= CONFIG_CORE_MAX_REQS; i++) {
		io->req[i].slot = (uint8_t)i;
		io->req[i].next = (uint8_t)(i + 1);
	}
	io->req[CONFIG_CORE_MAX_REQS - 1].next = NO_SLOT;
	c->io = io;
	c->stop = 0;
	await_head(c);
}

/* ---- which requests are valid ---- */

enum { CHANGES = 1, PAYLOAD = 2, NO_RANGE = 4, NEVER = 8 };

static const struct command {
	uint16_t needs; /* a transmission flag */
	uint8_t flags;	/* NBD_CMD_FLAG_* that it knows */
	uint8_t kind;
} commands[] = {
	[NBD_CMD_READ] = { 0, NBD_CMD_FLAG_DF, PAYLOAD },
	[NBD_CMD_WRITE] = { 0, NBD_CMD_FLAG_FUA, PAYLOAD | CHANGES },
	[NBD_CMD_DISC] = { 0, 0, NEVER },
	[NBD_CMD_FLUSH] = { NBD_FLAG_SEND_FLUSH, 0, NO_RANGE },
	[NBD_CMD_TRIM] = { NBD_FLAG_SEND_TRIM, NBD_CMD_FLAG_FUA, CHANGES },
	[NBD_CMD_CACHE] = { NBD_FLAG_SEND_CACHE, 0, 0 },
	[NBD_CMD_WRITE_ZEROES] = { NBD_FLAG_SEND_WRITE_ZEROES,
				   NBD_CMD_FLAG_FUA | NBD_CMD_FLAG_NO_HOLE |
					   NBD_CMD_FLAG_FAST_ZERO,
				   CHANGES },
#ifdef CONFIG_CORE_STATUS
	/* without status.c its replies could not be read */
	[NBD_CMD_BLOCK_STATUS] = { 0, NBD_CMD_FLAG_REQ_ONE, 0 },
#endif
};

/* The transmission flags that a request requires. */
static uint16_t needs(const struct nbd_op *op)
{
	unsigned need = commands[op->type].needs;

	if (op->flags & NBD_CMD_FLAG_FUA)
		need |= NBD_FLAG_SEND_FUA;
	if (op->flags & NBD_CMD_FLAG_DF)
		need |= NBD_FLAG_SEND_DF;
	if (op->flags & NBD_CMD_FLAG_FAST_ZERO)
		need |= NBD_FLAG_SEND_FAST_ZERO;
	return (uint16_t)need;
}

static int check_range(const struct nbd_client *c, const struct nbd_op *op)
{
	const struct nbd_export *e = &c->exp;
	bool payload = commands[op->type].kind & PAYLOAD;

	if (commands[op->type].kind & NO_RANGE)
		return op->offset || op->len ? NBD_E_PARAM : 0;
	if (op->len == 0)
		return NBD_E_EMPTY;
	if (op->offset > e->size || op->len > e->size - op->offset)
		return NBD_E_RANGE;
	if (e->has_block && (op->offset | op->len) & (e->min_block - 1))
		return NBD_E_ALIGN;
	if (payload && op->len > nbd_max_payload(c))
		return NBD_E_PAYLOAD;
	if (op->len > UINT32_MAX && c->replies != NBD_EXTENDED)
		return NBD_E_LONG;
	return 0;
}

static int check_memory(const struct nbd_op *op)
{
	uint64_t left = op->len;

	if (op->type == NBD_CMD_BLOCK_STATUS)
		return op->max_extents ? 0 : NBD_E_PARAM;
	if (!(commands[op->type].kind & PAYLOAD))
		return 0;
	for (unsigned i = 0; i < op->n_iov; i++) {
		if (op->iov[i].len > left)
			return NBD_E_PARAM;
		left -= op->iov[i].len;
	}
	return left ? NBD_E_PARAM : 0;
}

static int check(const struct nbd_client *c, const struct nbd_op *op)
{
	uint16_t have = c->exp.flags;
	int err;

	if (c->err || !c->io || c->stop || c->io->closing)
		return c->err ? c->err : NBD_E_PARAM;
	if (c->io->leaving)
		return NBD_E_SHUTDOWN;
	if (op->type >= sizeof(commands) / sizeof(commands[0]) ||
	    commands[op->type].kind & NEVER ||
	    op->flags & ~commands[op->type].flags)
		return NBD_E_PARAM;
	if (commands[op->type].kind & CHANGES && have & NBD_FLAG_READ_ONLY)
		return NBD_E_READ_ONLY;
	if (needs(op) & ~have ||
	    (op->flags & NBD_CMD_FLAG_DF && c->replies == NBD_SIMPLE))
		return NBD_E_NOT_OFFERED;
	if (op->type == NBD_CMD_BLOCK_STATUS && !c->has_context)
		return NBD_E_NO_CONTEXT;
	err = check_range(c, op);
	return err ? err : check_memory(op);
}

int nbd_submit(struct nbd_client *c, const struct nbd_op *op)
{
	struct nbd_io *io = c->io;
	int err = check(c, op);
	struct nbd_req *r;
	uint8_t i;

	if (err)
		return err;
	i = io->free;
	if (i == NO_SLOT)
		return NBD_E_BUSY;
	r = &io->req[i];
	io->free = r->next;
	r->op = *op;
	r->result = 0;
	r->n_extents = 0;
	r->gen++;
	r->state = REQ_QUEUED;
	r->n_span = 0;
	r->sent = r->scattered = false;
	enqueue(c, r);
	io->waiting++;
	io->reads += op->type == NBD_CMD_READ;
	/* its reply may begin with a shorter head than the one awaited */
	if (io->in_head && c->rx == c->hdr)
		await_head(c);
	return i;
}

struct nbd_req *nbd_reap(struct nbd_client *c)
{
	struct nbd_io *io = c->io;
	struct nbd_req *r;

	if (!io || io->done_first == NO_SLOT)
		return NULL;
	r = &io->req[io->done_first];
	io->done_first = r->next;
	r->state = REQ_REAPED;
	return r;
}

void nbd_release(struct nbd_client *c, struct nbd_req *r)
{
	if (r->state != REQ_REAPED) {
		nbd_fail(c, NBD_E_PARAM);
		return;
	}
	r->state = REQ_FREE;
	r->next = c->io->free;
	c->io->free = r->slot;
}

int nbd_req_result(const struct nbd_req *r)
{
	return r->result;
}

bool nbd_must_close(const struct nbd_client *c)
{
	return c->io && c->io->leaving;
}

unsigned nbd_waiting(const struct nbd_client *c)
{
	return c->io ? c->io->waiting : 0;
}

uint32_t nbd_max_payload(const struct nbd_client *c)
{
	return c->exp.has_block ? c->exp.max_payload : NBD_PAYLOAD_DEFAULT;
}
