/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Block status: the extents of a metadata context (proto.md,
 * "NBD_REPLY_TYPE_BLOCK_STATUS").
 *
 * Extents are wider in memory than on the wire.  They are received at the end
 * of the caller's array, and spread from its beginning:
 *
 *   |  room for n extents                            |
 *   |                        | n extents as sent     |
 *   | extents --> ...        ^ read before it is overwritten
 */
#include "core/io.h"

/* Bytes on the wire; the head of the chunk is half as long. */
static unsigned extent_size(const struct nbd_io *io)
{
	return 1u << io->format->extent_shift;
}

/* How many of the chunk's extents the caller has room for. */
static uint32_t kept(const struct nbd_io *io)
{
	unsigned max = io->cur->op.max_extents;

	return io->rest < max ? io->rest : max;
}

static unsigned char *raw(const struct nbd_io *io)
{
	return (unsigned char *)io->cur->op.extents +
	       kept(io) * (sizeof(struct nbd_extent) - extent_size(io));
}

static struct nbd_extent decode(const struct nbd_io *io, uint32_t i)
{
	unsigned size = extent_size(io);
	const unsigned char *p = raw(io) + (size_t)i * size;

	if (size == 8)
		return (struct nbd_extent){ be32(p), be32(p + 4) };
	return (struct nbd_extent){ be64(p), be64(p + 8) };
}

/*
 * Only the last extent may reach beyond the request, and not even that one
 * with REQ_ONE: it is clamped to what was asked.
 */
static void rx_extents(struct nbd_client *c)
{
	struct nbd_io *io = c->io;
	struct nbd_req *r = io->cur;
	uint64_t left = r->op.len;
	uint32_t n = kept(io);

	for (uint32_t i = 0; i < n; i++) {
		struct nbd_extent e = decode(io, i);

		if (!e.len || !left ||
		    (e.len > left && r->op.flags & NBD_CMD_FLAG_REQ_ONE)) {
			nbd_fail(c, NBD_E_LENGTH);
			return;
		}
		if (e.len > left)
			e.len = left;
		left -= e.len;
		r->op.extents[i] = e;
	}
	r->n_extents = n;
	nbd_end_chunk(c);
}

static void rx_kept(struct nbd_client *c)
{
	struct nbd_io *io = c->io;

	nbd_expect(c, rx_extents, NULL,
		   (size_t)(io->rest - kept(io)) * extent_size(io));
}

static void rx_status(struct nbd_client *c)
{
	struct nbd_io *io = c->io;
	unsigned size = extent_size(io);
	struct nbd_req *r = io->cur;

	if (be32(c->hdr) != c->context_id || r->n_extents)
		nbd_fail(c, NBD_E_PROTOCOL);
	else if ((size == 16 && be32(c->hdr + 4) != io->rest) ||
		 (r->op.flags & NBD_CMD_FLAG_REQ_ONE && io->rest != 1))
		nbd_fail(c, NBD_E_LENGTH);
	else
		nbd_expect(c, rx_kept, raw(io), (size_t)kept(io) * size);
}

void nbd_status_chunk(struct nbd_client *c)
{
	struct nbd_io *io = c->io;
	unsigned size = extent_size(io), head = size / 2;
	uint32_t len = io->chunk_len;

	if (len < head + size || (len - head) & (size - 1) ||
	    (len - head) >> io->format->extent_shift > NBD_EXTENTS_MAX) {
		nbd_fail(c, NBD_E_LENGTH);
		return;
	}
	io->rest = (len - head) >> io->format->extent_shift;
	nbd_expect(c, rx_status, c->hdr, head);
}
