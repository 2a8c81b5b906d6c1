/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replies, simple and structured (proto.md, "Simple reply message",
 * "Structured reply chunk message").
 *
 *   HEAD --simple--> payload of a read ------------------------> HEAD
 *    '--structured--> CHUNK --data, hole-> chunk.c ---------.
 *                       |-----status-----> status.c --------|
 *                       '-----error------> ERROR -> skip ---'--> HEAD
 */
#include "core/io.h"

/* If the server sends several errors, the first counts. */
static void set_error(struct nbd_req *r, uint32_t error)
{
	static const uint8_t known[] = { NBD_EPERM,	NBD_EIO,
					 NBD_ENOMEM,	NBD_EINVAL,
					 NBD_ENOSPC,	NBD_ESHUTDOWN,
					 NBD_EOVERFLOW, NBD_ENOTSUP };

	if (r->result > 0)
		return;
	r->result = NBD_EINVAL;
	for (unsigned i = 0; i < sizeof(known); i++)
		if (error == known[i])
			r->result = known[i];
}

/* ---- error chunks: error, message length, message, type's own data ---- */

static void rx_error_offset(struct nbd_client *c)
{
	const struct nbd_op *op = &c->io->cur->op;
	uint64_t offset = be64(c->hdr);

	if (op->len && (offset < op->offset || offset - op->offset >= op->len))
		nbd_fail(c, NBD_E_LENGTH);
	else
		nbd_expect(c, nbd_end_chunk, NULL, c->io->rest);
}

static void rx_error_where(struct nbd_client *c)
{
	nbd_expect(c, rx_error_offset, c->hdr, 8);
}

static void rx_error(struct nbd_client *c)
{
	struct nbd_io *io = c->io;
	uint32_t text = be16(c->hdr + 4);

	if (text > io->rest || text > NBD_STRING_MAX) {
		nbd_fail(c, NBD_E_LENGTH);
		return;
	}
	io->rest -= text;
	set_error(io->cur, be32(c->hdr));
	if (io->chunk_type == NBD_REPLY_ERROR_OFFSET)
		nbd_expect(c, rx_error_where, NULL, text);
	else
		nbd_expect(c, nbd_end_chunk, NULL, text + io->rest);
}

/* Unknown types of error begin like the known ones; the rest is skipped. */
static void error_chunk(struct nbd_client *c)
{
	struct nbd_io *io = c->io;
	uint32_t fixed = io->chunk_type == NBD_REPLY_ERROR_OFFSET ? 14 : 6;

	if (io->chunk_len < fixed || io->chunk_len > REPLY_MAX) {
		nbd_fail(c, NBD_E_LENGTH);
		return;
	}
	io->rest = io->chunk_len - fixed;
	nbd_expect(c, rx_error, c->hdr, 6);
}

/* ---- heads ---- */

void nbd_chunk(struct nbd_client *c)
{
	struct nbd_io *io = c->io;
	unsigned type = io->chunk_type;
	bool last = io->chunk_flags & NBD_REPLY_DONE;
	unsigned cmd;

	io->in_head = false;
	if (!io->cur) {
		nbd_fail(c, NBD_E_PROTOCOL);
		return;
	}
	cmd = io->cur->op.type;
	if (type & NBD_REPLY_ERROR_BIT)
		error_chunk(c);
	else if (type == NBD_REPLY_NONE && last && !io->chunk_len)
		nbd_end_chunk(c);
	else if (type == NBD_REPLY_DATA && cmd == NBD_CMD_READ)
		nbd_data_chunk(c);
	else if (type == NBD_REPLY_HOLE && cmd == NBD_CMD_READ)
		nbd_hole_chunk(c);
	else if (HAS_STATUS && type == io->format->status_type &&
		 cmd == NBD_CMD_BLOCK_STATUS)
		nbd_status_chunk(c);
	else
		nbd_fail(c, NBD_E_PROTOCOL);
}

static void rx_chunk(struct nbd_client *c)
{
	struct nbd_io *io = c->io;

	if (be32(c->hdr) != NBD_CHUNK_MAGIC) {
		nbd_fail(c, NBD_E_PROTOCOL);
		return;
	}
	io->chunk_flags = be16(c->hdr + 4);
	io->chunk_type = be16(c->hdr + 6);
	io->cur = nbd_find(c, be64(c->hdr + 8));
	io->chunk_len = be32(c->hdr + 16);
	nbd_chunk(c);
}

/* With structured replies, reads get no simple reply, not even on error. */
static void rx_simple(struct nbd_client *c)
{
	struct nbd_io *io = c->io;
	uint32_t error = be32(c->hdr + 4);
	bool read;

	io->in_head = false;
	io->cur = nbd_find(c, be64(c->hdr + 8));
	read = io->cur && io->cur->op.type == NBD_CMD_READ;
	if (!io->cur || (read && c->replies != NBD_SIMPLE)) {
		nbd_fail(c, NBD_E_PROTOCOL);
		return;
	}
	io->chunk_flags = NBD_REPLY_DONE;
	if (error)
		set_error(io->cur, error);
	if (read && !error)
		nbd_whole_read(c);
	else
		nbd_end_chunk(c);
}

static void rx_head(struct nbd_client *c)
{
	uint32_t magic = be32(c->hdr);

	if (magic == NBD_SIMPLE_MAGIC)
		rx_simple(c);
	else if (magic == NBD_CHUNK_MAGIC && c->replies == NBD_STRUCTURED)
		nbd_expect(c, rx_chunk, c->hdr + NBD_SIMPLE_SIZE,
			   NBD_CHUNK_SIZE - NBD_SIMPLE_SIZE);
	else
		nbd_fail(c, NBD_E_PROTOCOL);
}

/* If only reads wait, the head must be structured: receive it in one go. */
static void await(struct nbd_client *c)
{
	if (c->replies == NBD_STRUCTURED && c->io->waiting == c->io->reads)
		nbd_expect(c, rx_chunk, c->hdr, NBD_CHUNK_SIZE);
	else
		nbd_expect(c, rx_head, c->hdr, NBD_SIMPLE_SIZE);
}

static void put_len(unsigned char *p, uint64_t len)
{
	put32(p, (uint32_t)len);
}

static const struct nbd_format compact = {
	.request_magic = NBD_REQUEST_MAGIC,
	.request_size = NBD_REQUEST_SIZE,
	.extent_shift = 3,
	.status_type = NBD_REPLY_STATUS,
	.put_len = put_len,
	.await = await,
};

void nbd_start(struct nbd_client *c, struct nbd_io *io)
{
	if (c->stop != NBD_READY)
		nbd_fail(c, NBD_E_PARAM);
	else
		nbd_io_init(c, io,
			    c->replies == NBD_EXTENDED ? c->cfg->extra->format
						       : &compact);
}
