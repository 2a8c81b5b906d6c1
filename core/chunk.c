/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data of reads (proto.md, "Structured reply types").  It is received
 * straight into the caller's buffers.  Every byte must come exactly once and
 * lie inside the request: the parts received so far are kept as a few
 * disjoint spans, in order.
 */
#include "core/io.h"

/* Removes span i. */
static void drop_span(struct nbd_req *r, unsigned i)
{
	r->n_span--;
	for (; i < r->n_span; i++)
		r->span[i] = r->span[i + 1];
}

static void insert_span(struct nbd_req *r, unsigned i, struct nbd_span s)
{
	for (unsigned k = r->n_span++; k > i; k--)
		r->span[k] = r->span[k - 1];
	r->span[i] = s;
}

/*
 * Adds s to the received parts, joined with the spans that it touches.  False
 * if part of it was received before.  A reply in too many pieces to keep track
 * of fails its request, not the connection.
 */
static bool add_span(struct nbd_req *r, struct nbd_span s)
{
	struct nbd_span *v = r->span;
	unsigned n = r->n_span, i = 0;

	while (i < n && v[i].end < s.start)
		i++;
	if (i < n && v[i].end == s.start) {
		if (i + 1 < n && v[i + 1].start < s.end)
			return false;
		v[i].end = s.end;
		if (i + 1 < n && v[i + 1].start == s.end) {
			v[i].end = v[i + 1].end;
			drop_span(r, i + 1);
		}
	} else if (i < n && v[i].start < s.end) {
		return false;
	} else if (i < n && v[i].start == s.end) {
		v[i].start = s.start;
	} else if (n < NBD_SPANS) {
		insert_span(r, i, s);
	} else {
		r->scattered = true;
		if (!r->result)
			r->result = NBD_E_SCATTERED;
	}
	return true;
}

/* Data for [offset, offset + len) follows: checks it, points io->to at it. */
static bool claim(struct nbd_client *c, uint64_t offset, uint32_t len)
{
	struct nbd_io *io = c->io;
	struct nbd_req *r = io->cur;
	struct nbd_span s;
	uint64_t pos;

	if (offset < r->op.offset || offset - r->op.offset >= r->op.len ||
	    len == 0 || len > r->op.len - (offset - r->op.offset)) {
		nbd_fail(c, NBD_E_LENGTH);
		return false;
	}
	pos = offset - r->op.offset;
	s.start = (uint32_t)pos;
	s.end = s.start + len;
	if (r->op.flags & NBD_CMD_FLAG_DF && r->n_span) {
		nbd_fail(c, NBD_E_PROTOCOL);
		return false;
	}
	if (!r->scattered && !add_span(r, s)) {
		nbd_fail(c, NBD_E_PROTOCOL);
		return false;
	}
	io->rest = len;
	for (io->to = r->op.iov; pos >= io->to->len; io->to++)
		pos -= io->to->len;
	io->to_off = (size_t)pos;
	return true;
}

/* The next contiguous part of the buffers for the data; its length. */
static size_t next_piece(struct nbd_io *io, char **p)
{
	size_t len;

	while (io->to_off == io->to->len) {
		io->to++;
		io->to_off = 0;
	}
	*p = (char *)io->to->base + io->to_off;
	len = io->to->len - io->to_off;
	if (len > io->rest)
		len = io->rest;
	io->to_off += len;
	io->rest -= (uint32_t)len;
	return len;
}

static void rx_data(struct nbd_client *c)
{
	char *p;
	size_t len;

	if (!c->io->rest) {
		nbd_end_chunk(c);
		return;
	}
	len = next_piece(c->io, &p);
	nbd_expect(c, rx_data, p, len);
}

void nbd_whole_read(struct nbd_client *c)
{
	const struct nbd_op *op = &c->io->cur->op;

	if (claim(c, op->offset, (uint32_t)op->len))
		rx_data(c);
}

/* The data of a read that has failed as scattered is discarded. */
static void rx_offset(struct nbd_client *c)
{
	struct nbd_io *io = c->io;

	if (!claim(c, be64(c->hdr), io->chunk_len - 8))
		return;
	if (io->cur->scattered)
		nbd_expect(c, nbd_end_chunk, NULL, io->rest);
	else
		rx_data(c);
}

void nbd_data_chunk(struct nbd_client *c)
{
	const struct nbd_io *io = c->io;

	if (io->chunk_len < 9 || io->chunk_len - 8 > io->cur->op.len)
		nbd_fail(c, NBD_E_LENGTH);
	else
		nbd_expect(c, rx_offset, c->hdr, 8);
}

static void rx_hole(struct nbd_client *c)
{
	struct nbd_io *io = c->io;
	char *p;
	size_t len;

	if (!claim(c, be64(c->hdr), be32(c->hdr + 8)))
		return;
	while (io->rest) {
		len = next_piece(io, &p);
		memset(p, 0, len);
	}
	nbd_end_chunk(c);
}

void nbd_hole_chunk(struct nbd_client *c)
{
	if (c->io->chunk_len != 12)
		nbd_fail(c, NBD_E_LENGTH);
	else
		nbd_expect(c, rx_hole, c->hdr, 12);
}
