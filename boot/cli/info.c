/* SPDX-License-Identifier: BSD-2-Clause */
/* The requests of nbdboot info: reads for --latency, block status for --map. */
#include "boot/cli/info.h"

/* ms that the answer to one request may take. */
#define ANSWER_MS 30000
/* Reads of --latency: their number, and their size in bytes if possible. */
#define READS	  256u
#define READ_LEN  4096u

static int explain(struct info *i, const struct nbd_op *op, int result)
{
	return nbd_diag(i->d, result < 0 ? result : NBD_E_IO,
			"%s of %llu bytes at %llu: %s",
			op->type == NBD_CMD_READ ? "read" : "block status",
			(unsigned long long)op->len,
			(unsigned long long)op->offset,
			nbd_result_text(result));
}

/*
 * Makes one request and waits for its answer.  Returns the number of extents
 * (0 unless it was BLOCK_STATUS), or an error with the reason in i->d.
 */
static int ask(struct info *i, const struct nbd_op *op)
{
	struct nbd_client *c = &i->conn.c;
	uint64_t begin = nbd_now_ns();
	int result = nbd_submit(c, op), n, err;
	struct nbd_req *r;

	if (result < 0)
		return explain(i, op, result);
	i->conn.deadline = nbd_now_ms() + ANSWER_MS;
	err = dial_resume(&i->conn, i->d);
	if (err)
		return explain(i, op, err);
	nbd_latency_add(&i->times, op->type, nbd_now_ns() - begin);
	r = nbd_reap(c);
	n = (int)r->n_extents;
	result = nbd_req_result(r);
	nbd_release(c, r);
	return result ? explain(i, op, result) : n;
}

int cli_info_read(struct info *i, uint64_t at, void *buf, size_t len)
{
	struct nbd_iov v = { buf, len };
	const struct nbd_op op = { .type = NBD_CMD_READ,
				   .offset = at,
				   .len = len,
				   .iov = &v,
				   .n_iov = 1 };

	return ask(i, &op);
}

/* Reads out of order, or else the server would read ahead. */
int cli_info_sample(struct info *i)
{
	static unsigned char block[65536];
	const struct nbd_export *e = nbd_export(&i->conn.c);
	uint64_t min = e->has_block ? e->min_block : 1, n;
	struct nbd_iov v = { block, READ_LEN };

	if (v.len < min)
		v.len = (size_t)min;
	if (v.len > nbd_max_payload(&i->conn.c))
		v.len = nbd_max_payload(&i->conn.c);
	if (v.len > e->size)
		v.len = (size_t)(e->size & -min);
	n = v.len ? e->size / v.len : 0;
	for (unsigned k = 0; n && k < READS; k++) {
		/* k times an odd number visits each of 256 places once */
		const struct nbd_op op = {
			.type = NBD_CMD_READ,
			.offset = k * 157u % READS * n / READS * v.len,
			.len = v.len,
			.iov = &v,
			.n_iov = 1,
		};
		int err = ask(i, &op);

		if (err < 0)
			return err;
	}
	return 0;
}

/*
 * ---- the map: the context base:allocation from one end to the other ----
 *
 * Extents of one kind that follow each other are printed as one, wherever
 * requests and answers happened to end.
 */

/* A multiple of every block size, and small enough for every server. */
#define STEP_MAX  (UINT64_C(1) << 31)
#define BLOCK_MAX UINT64_C(65536)

struct map {
	bool json;
	unsigned printed;
	uint64_t start, len; /* not printed yet: it may grow */
	unsigned type;	     /* NBD_STATE_* */
};

static void print(struct map *m)
{
	static const char *const names[] = { "data", "hole", "zero",
					     "hole,zero" };

	if (m->json && m->len)
		cli_putf("%s\n  {\"start\": %llu, \"length\": %llu, "
			 "\"type\": \"%s\"}",
			 m->printed++ ? "," : "", (unsigned long long)m->start,
			 (unsigned long long)m->len, names[m->type]);
	else if (m->len)
		cli_putf("%llu %llu %s\n", (unsigned long long)m->start,
			 (unsigned long long)m->len, names[m->type]);
	m->start += m->len;
	m->len = 0;
}

static void add(struct map *m, uint64_t len, uint64_t flags)
{
	unsigned type = flags & (NBD_STATE_HOLE | NBD_STATE_ZERO);

	if (type != m->type)
		print(m);
	m->type = type;
	m->len += len;
}

/* A server may answer for less than was requested: continue where it ended. */
static int ask_all(struct info *i, struct map *m, uint64_t size)
{
	static struct nbd_extent extents[2048];
	const unsigned max = sizeof(extents) / sizeof(extents[0]);
	uint64_t at = 0, step = STEP_MAX, begin;

	while ((begin = at) < size) {
		const struct nbd_op op = {
			.type = NBD_CMD_BLOCK_STATUS,
			.offset = at,
			.len = size - at < step ? size - at : step,
			.extents = extents,
			.max_extents = max,
		};
		int n = ask(i, &op);

		if (n < 0)
			return n;
		for (int k = 0; k < n; k++) {
			add(m, extents[k].len, extents[k].flags);
			at += extents[k].len;
		}
		if (at == begin)
			return nbd_diag(i->d, NBD_E_PARTIAL,
					"block status at %llu: no progress",
					(unsigned long long)at);
		/* extents that do not fit are lost: request fewer */
		step = (unsigned)n < max ? step * 2
					 : (at - begin) | (BLOCK_MAX - 1);
		step = step < STEP_MAX ? (step + BLOCK_MAX - 1) & -BLOCK_MAX
				       : STEP_MAX;
	}
	return 0;
}

int cli_info_map(struct info *i)
{
	const struct nbd_export *e = nbd_export(&i->conn.c);
	/* a request for the tail, which is no whole block, is refused */
	uint64_t tail = e->has_block ? e->size & (e->min_block - 1) : 0;
	uint64_t asked = e->size - tail;
	struct map m = { .json = i->o->json };
	int err = 0;

	if (!nbd_has_context(&i->conn.c)) {
		nbd_diag(i->d, NBD_E_NO_CONTEXT,
			 "no block status: all of it is shown as data");
		cli_fail(i->subject, NBD_E_NO_CONTEXT, i->d);
		tail = e->size;
		asked = 0;
	}
	if (m.json)
		cli_putf("[");
	err = ask_all(i, &m, asked);
	if (!err)
		add(&m, tail, 0);
	/* also what is known before an error */
	print(&m);
	if (m.json)
		cli_putf(m.printed ? "\n]\n" : "]\n");
	return err;
}
