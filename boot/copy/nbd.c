/* SPDX-License-Identifier: BSD-2-Clause */
/* NBD exports as sides of a copy. */
#include "core/nbd_io.h"
#include "boot/copy/copy.h"
#include "port/latency.h"

/* Bytes: the most that one NBD_CMD_BLOCK_STATUS request covers. */
#define STATUS_SPAN (1u << 30)

static const char *verb(unsigned type)
{
	static const char *const verbs[] = {
		[NBD_CMD_READ] = "read",
		[NBD_CMD_WRITE] = "write",
		[NBD_CMD_FLUSH] = "flush",
		[NBD_CMD_WRITE_ZEROES] = "write zeroes",
		[NBD_CMD_BLOCK_STATUS] = "block status",
	};

	return verbs[type];
}

static int explain(const struct side *s, const struct nbd_op *op, int result,
		   struct nbd_diag *d)
{
	int err = result < 0		    ? result
		  : result == NBD_ESHUTDOWN ? NBD_E_SHUTDOWN
					    : NBD_E_IO;

	return nbd_diag(d, err, "%s: %s at offset %llu (%llu bytes): %s",
			s->name, verb(op->type), (unsigned long long)op->offset,
			(unsigned long long)op->len, nbd_result_text(result));
}

/* Submits a request on the connection with the fewest requests in flight. */
static int submit(struct side *s, const struct nbd_op *op, struct nbd_diag *d)
{
	struct copy_link *l = s->link;
	unsigned best = 0;
	int err;

	for (unsigned i = 1; i < l->n; i++)
		if (nbd_waiting(&l->conns[i].c) <
		    nbd_waiting(&l->conns[best].c))
			best = i;
	err = nbd_submit(&l->conns[best].c, op);
	return err < 0 ? explain(s, op, err, d) : COPY_PENDING;
}

static int transfer(struct side *s, struct task *t, unsigned type,
		    const struct nbd_iov *v, struct nbd_diag *d)
{
	struct nbd_op op = { .type = (uint16_t)type,
			     .offset = s->base + t->offset,
			     .len = t->len,
			     .iov = v,
			     .n_iov = 1,
			     .user = t };

	t->begun = nbd_now_ns();
	return submit(s, &op, d);
}

static int side_read(struct side *s, struct task *t, struct nbd_iov *to,
		     struct nbd_diag *d)
{
	return transfer(s, t, NBD_CMD_READ, to, d);
}

static int side_write(struct side *s, struct task *t, struct nbd_diag *d)
{
	return transfer(s, t, NBD_CMD_WRITE, &t->iov, d);
}

/* What is left of a task. */
static int zero_rest(struct side *s, struct task *t, struct nbd_diag *d)
{
	uint32_t rest = t->len - t->zeroed;
	struct nbd_op op = { .type = NBD_CMD_WRITE_ZEROES,
			     .offset = s->base + t->offset + t->zeroed,
			     .len = rest < s->zeroes ? rest : s->zeroes,
			     .user = t };

	t->begun = nbd_now_ns();
	return submit(s, &op, d);
}

static int side_zero(struct side *s, struct task *t, struct nbd_diag *d)
{
	static char zeroes[COPY_PIECE];

	t->zeroed = 0;
	if (s->link->flags & NBD_FLAG_SEND_WRITE_ZEROES)
		return zero_rest(s, t, d);
	t->iov = (struct nbd_iov){ zeroes, t->len };
	return side_write(s, t, d);
}

/* ---- the allocation map ---- */

static int ask(struct side *s, uint64_t offset, struct nbd_diag *d)
{
	struct copy_link *l = s->link;
	uint64_t rest = s->size - offset;
	struct nbd_op op = { .type = NBD_CMD_BLOCK_STATUS,
			     .offset = s->base + offset,
			     .len = rest < STATUS_SPAN ? rest : STATUS_SPAN,
			     .extents = l->ext,
			     .max_extents = 1024 };
	int rc = submit(s, &op, d);

	l->ext_at = offset;
	l->n_ext = 0;
	l->asking = rc == COPY_PENDING;
	return rc;
}

static bool is_zero(const struct nbd_extent *e)
{
	return e->flags & NBD_STATE_ZERO;
}

/* Finds offset in the known part of the map; returns the extent's length. */
static uint64_t known(const struct copy_link *l, uint64_t offset, bool *zero)
{
	uint64_t at = l->ext_at;
	unsigned i = 0;

	while (i < l->n_ext && at + l->ext[i].len <= offset)
		at += l->ext[i++].len;
	/* --verify, and a copy after an outage, begin again in front of it */
	if (i == l->n_ext || offset < l->ext_at)
		return 0;
	*zero = is_zero(&l->ext[i]);
	for (; i < l->n_ext && is_zero(&l->ext[i]) == *zero; i++)
		at += l->ext[i].len;
	return at - offset;
}

/* If the server fails here, it can still be read: everything is data then. */
static int side_extent(struct side *s, uint64_t offset, uint64_t *len,
		       bool *zero, struct nbd_diag *d)
{
	struct copy_link *l = s->link;

	*zero = false;
	*len = s->size - offset;
	if (l->no_map)
		return 0;
	if (l->asking)
		return COPY_PENDING;
	*len = known(l, offset, zero);
	return *len ? 0 : ask(s, offset, d);
}

/* After an error everything is data. */
static void take_status(struct copy_link *l, const struct nbd_req *r)
{
	l->asking = false;
	l->n_ext = r->n_extents;
	l->no_map = nbd_req_result(r) != 0 || r->n_extents == 0;
}

/* ---- flush ---- */

/* One connection flushes for all: CAN_MULTI_CONN guarantees it. */
static int side_flush(struct side *s, struct nbd_diag *d)
{
	const struct nbd_op op = { .type = NBD_CMD_FLUSH };
	struct copy_link *l = s->link;

	if (l->flush == FLUSHING)
		return COPY_PENDING;
	if (!(l->flags & NBD_FLAG_SEND_FLUSH) || l->flush == FLUSHED) {
		l->flush = NOT_FLUSHED;
		return 0;
	}
	l->flush = FLUSHING;
	return submit(s, &op, d);
}

/* ---- bytes and answers ---- */

/*
 * Is it the medium?  Servers that read with O_DIRECT get ENODATA for that, and
 * have no code for it: they send EINVAL.  So do those of an export that became
 * shorter; copy_side_recheck() tells these apart.
 */
static bool is_bad(const struct side *s, const struct nbd_req *r, int result)
{
	return !s->output && r->op.type == NBD_CMD_READ &&
	       (result == NBD_EIO || result == NBD_EINVAL);
}

/*
 * A server may refuse to write more zeroes at once than it takes data (proto.md,
 * "Block size constraints").
 */
static bool is_too_long(const struct side *s, const struct nbd_op *op,
			int result)
{
	return op->type == NBD_CMD_WRITE_ZEROES && op->len > s->piece &&
	       (result == NBD_EOVERFLOW || result == NBD_EINVAL);
}

static int zero_on(struct side *s, struct task *t, struct nbd_diag *d)
{
	int rc = zero_rest(s, t, d);

	return rc < 0 ? rc : 0;
}

static int finish(struct side *s, const struct nbd_req *r, struct nbd_diag *d)
{
	struct task *t = r->op.user;
	int result = nbd_req_result(r);

	if (r->op.type == NBD_CMD_BLOCK_STATUS) {
		take_status(s->link, r);
		return 0;
	}
	if (result && t && is_bad(s, r, result)) {
		t->bad = true;
		s->link->refused |= result == NBD_EINVAL;
		copy_done(s->copy, t, explain(s, &r->op, result, d));
		return 0;
	}
	if (is_too_long(s, &r->op, result)) {
		s->zeroes = s->piece;
		return zero_on(s, t, d);
	}
	if (result)
		return explain(s, &r->op, result, d);
	copy_link_answers(s, !t);
	if (!t) {
		s->link->flush = FLUSHED;
		return 0;
	}
	nbd_latency_add(s->link->latency, r->op.type, nbd_now_ns() - t->begun);
	if (r->op.type == NBD_CMD_WRITE_ZEROES &&
	    (t->zeroed += (uint32_t)r->op.len) < t->len)
		return zero_on(s, t, d);
	copy_done(s->copy, t, 0);
	return 0;
}

/* Otherwise another connection may succeed. */
static bool is_answer(const struct nbd_client *c, const struct nbd_req *r)
{
	int result = nbd_req_result(r);

	return result != NBD_ESHUTDOWN && !(result < 0 && nbd_error(c));
}

static int pump(struct side *s, unsigned i, struct nbd_diag *d)
{
	struct conn *conn = &s->link->conns[i];
	size_t before = dial_left(conn);
	struct nbd_req *r;
	int n = dial_pump(conn) > 0, err = 0;

	/* a slow server or network, where a request takes long, is not silent */
	if (dial_left(conn) != before)
		s->copy->moved = nbd_now_ns();
	while (!err && (r = nbd_reap(&conn->c))) {
		if (is_answer(&conn->c, r))
			err = finish(s, r, d);
		else
			err = explain(s, &r->op, nbd_req_result(r), d);
		nbd_release(&conn->c, r);
		n++;
	}
	if (err)
		return err;
	if (nbd_error(&conn->c))
		return nbd_diag(d, nbd_error(&conn->c), "%s: %s", s->name,
				nbd_err_text(nbd_error(&conn->c)));
	if (nbd_must_close(&conn->c))
		return nbd_diag(d, NBD_E_SHUTDOWN, "%s: %s", s->name,
				nbd_err_text(NBD_E_SHUTDOWN));
	return n;
}

int copy_side_pump(struct side *s, struct nbd_diag *d)
{
	int n = 0;

	for (unsigned i = 0; s->link && i < s->link->n; i++) {
		int rc = pump(s, i, d);

		if (rc < 0)
			return rc;
		n += rc;
	}
	return n;
}

bool copy_side_waits(const struct side *s)
{
	unsigned n = 0;

	for (unsigned i = 0; s->link && i < s->link->n; i++)
		n += nbd_waiting(&s->link->conns[i].c);
	return n > 0;
}

static void side_close(struct side *s)
{
	copy_link_leave(s);
	device_tls_close(&s->link->tls);
}

static const struct side_ops ops = {
	.read = side_read,
	.write = side_write,
	.zero = side_zero,
	.extent = side_extent,
	.flush = side_flush,
	.close = side_close,
};

int copy_side_open_nbd(struct side *s, struct copy_link *l,
		       const struct nbd_uri *uri, const struct copy_options *o,
		       struct nbd_diag *d)
{
	int err = copy_link_open(s, l, uri, o, d);

	if (!err)
		s->ops = &ops;
	return err;
}
