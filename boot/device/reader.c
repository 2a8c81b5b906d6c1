/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/device/reader.h"

#include <string.h>

void device_reader_begin(struct device_reader *r, struct conn *conn)
{
	conn->deadline = nbd_now_ms() + DIAL_HANDSHAKE_MS;
	nbd_start(&conn->c, &r->io);
}

int device_reader_submit(struct conn *conn, const struct nbd_iov *v,
			 uint64_t offset, struct nbd_diag *d)
{
	const struct nbd_op op = { .type = NBD_CMD_READ,
				   .offset = offset,
				   .len = (uint32_t)v->len,
				   .iov = v,
				   .n_iov = 1 };
	int err = nbd_submit(&conn->c, &op);

	return err < 0 ? nbd_diag(d, err, "read at %llu: %s",
				  (unsigned long long)offset, nbd_err_text(err))
		       : 0;
}

int device_reader_await(struct conn *conn, unsigned n, int *failed,
			struct nbd_diag *d)
{
	while (n) {
		struct nbd_req *req;
		int err = dial_resume(conn, d);

		if (err)
			return err;
		while ((req = nbd_reap(&conn->c))) {
			if (nbd_req_result(req))
				*failed = nbd_req_result(req);
			nbd_release(&conn->c, req);
			n--;
		}
	}
	return *failed < 0 ? *failed : NBD_OK;
}

int device_reader_read(struct device_reader *r, struct conn *conn, uint64_t at,
		       void *to, size_t len, struct nbd_diag *d)
{
	const struct nbd_export *e = nbd_export(&conn->c);
	uint64_t block = e->has_block ? e->min_block : 1;
	uint64_t from = at - at % block, size = e->size;
	struct nbd_iov v = { .base = r->buf };
	int failed = 0, err;

	if (at > size || len > size - at)
		return nbd_diag(d, NBD_E_RANGE, "read at %llu: %s",
				(unsigned long long)at,
				nbd_err_text(NBD_E_RANGE));
	v.len = (size_t)(at - from) + len;
	if (v.len % block)
		v.len += (size_t)(block - v.len % block);
	if (v.len > sizeof(r->buf))
		return nbd_diag(d, NBD_E_NO_MEMORY,
				"its minimum block is too large");
	err = device_reader_submit(conn, &v, from, d);
	if (!err)
		err = device_reader_await(conn, 1, &failed, d);
	if (!err && failed)
		err = nbd_diag(d, NBD_E_IO, "read at %llu: %s",
			       (unsigned long long)at, nbd_result_text(failed));
	if (!err)
		memcpy(to, r->buf + (at - from), len);
	return err;
}
