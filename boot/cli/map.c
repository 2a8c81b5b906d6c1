/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot info --map: the context base:allocation from one end to the other.
 * Extents of one kind that follow each other are printed as one, wherever
 * requests and answers happened to end.
 */
#include "boot/cli/info.h"

/* A multiple of every block size, and small enough for every server. */
#define STEP_MAX  (UINT64_C(1) << 31)
#define BLOCK_MAX UINT64_C(65536)

struct map {
	bool json;
	unsigned printed;
	uint64_t start, len; /* not printed yet, as it may grow */
	unsigned type;	     /* NBD_STATE_* */
};

static void print(struct map *m)
{
	static const char *const names[] = { "data", "hole", "zero",
					     "hole,zero" };

	if (m->json && m->len)
		nbd_putf(&cli_out,
			 "%s\n  {\"start\": %llu, \"length\": %llu, "
			 "\"type\": \"%s\"}",
			 m->printed++ ? "," : "", (unsigned long long)m->start,
			 (unsigned long long)m->len, names[m->type]);
	else if (m->len)
		nbd_putf(&cli_out, "%llu %llu %s\n",
			 (unsigned long long)m->start,
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

/* A server may answer for less than it was asked: go on where it ended. */
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
		int n = cli_info_ask(i, &op);

		if (n < 0)
			return n;
		for (int k = 0; k < n; k++) {
			add(m, extents[k].len, extents[k].flags);
			at += extents[k].len;
		}
		if (at == begin)
			return nbd_diag(&i->d, NBD_E_PARTIAL,
					"block status at %llu: no progress",
					(unsigned long long)at);
		/* what does not fit is dropped: do not ask for it again */
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
	/* of a tail that is no whole block nobody may ask */
	uint64_t tail = e->has_block ? e->size & (e->min_block - 1) : 0;
	uint64_t told = e->size - tail;
	struct map m = { .json = i->json };
	int err = 0;

	if (!nbd_has_context(&i->conn.c)) {
		nbd_diag(&i->d, NBD_E_NO_CONTEXT,
			 "no block status: all of it is shown as data");
		cli_fail(i->subject, NBD_E_NO_CONTEXT, &i->d);
		tail = e->size;
		told = 0;
	}
	if (m.json)
		nbd_putf(&cli_out, "[");
	err = ask_all(i, &m, told);
	if (err)
		return err;
	add(&m, tail, 0);
	print(&m);
	if (m.json)
		nbd_putf(&cli_out, m.printed ? "\n]\n" : "]\n");
	return 0;
}
