/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a side before the copy begins: the table of a disk. */
#include "boot/copy/copy.h"

#include <string.h>

#include "boot/device/reader.h"

static int from_file(struct side *s, char *p, size_t len, uint64_t at,
		     struct nbd_diag *d)
{
	struct task t = { .offset = at - s->base, .len = (uint32_t)len };
	struct nbd_iov to = { .base = p, .len = len };

	return s->ops->read(s, &t, &to, d);
}

/* Nothing else is in flight yet: the first connection answers this alone. */
static int from_server(struct side *s, char *p, size_t len, uint64_t at,
		       struct nbd_diag *d)
{
	static char buf[COPY_PIECE];
	struct conn *conn = &s->link->conns[0];
	uint64_t from = at & ~(uint64_t)(s->align - 1);
	struct nbd_iov v = { .base = buf };
	int failed = 0, err;

	v.len = (size_t)(((at - from) + len + s->align - 1) &
			 ~(uint64_t)(s->align - 1));
	if (v.len > s->piece || v.len > sizeof(buf))
		return nbd_diag(d, NBD_E_UNSUP, "%s has blocks of %u bytes",
				s->name, s->align);
	conn->deadline = nbd_now_ms() + DIAL_HANDSHAKE_MS;
	err = device_reader_submit(conn, &v, from, d);
	if (!err)
		err = device_reader_await(conn, 1, &failed, d);
	if (!err && failed)
		err = nbd_diag(d, NBD_E_IO, "read %s at offset %llu: %s",
			       s->name, (unsigned long long)from,
			       nbd_result_text(failed));
	if (!err)
		memcpy(p, buf + (at - from), len);
	return err;
}

int copy_side_peek(struct side *s, void *to, size_t len, uint64_t at,
		   struct nbd_diag *d)
{
	return s->link ? from_server(s, to, len, at, d)
		       : from_file(s, to, len, at, d);
}
