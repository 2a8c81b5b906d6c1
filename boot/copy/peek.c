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

/*
 * As much as the server takes at once; returns how much.  Nothing else is in
 * flight yet: the first connection answers this alone.
 */
static int from_server(struct side *s, char *p, size_t len, uint64_t at,
		       struct nbd_diag *d)
{
	static char buf[COPY_PIECE];
	struct conn *conn = &s->link->conns[0];
	size_t skip = (size_t)(at & (s->align - 1));
	struct nbd_iov v = { .base = buf };
	int failed = 0, err;

	if (len > s->piece - skip)
		len = s->piece - skip;
	v.len = (skip + len + s->align - 1) & ~(size_t)(s->align - 1);
	conn->deadline = nbd_now_ms() + DIAL_HANDSHAKE_MS;
	err = device_reader_submit(conn, &v, at - skip, d);
	if (!err)
		err = device_reader_await(conn, 1, &failed, d);
	if (!err && failed)
		err = nbd_diag(d, NBD_E_IO, "read %s at offset %llu: %s",
			       s->name, (unsigned long long)(at - skip),
			       nbd_result_text(failed));
	if (err)
		return err;
	memcpy(p, buf + skip, len);
	return (int)len;
}

int copy_side_peek(struct side *s, void *to, size_t len, uint64_t at,
		   struct nbd_diag *d)
{
	char *p = to;

	if (!s->link)
		return from_file(s, to, len, at, d);
	while (len) {
		int n = from_server(s, p, len, at, d);

		if (n < 0)
			return n;
		p += n;
		at += (unsigned)n;
		len -= (size_t)n;
	}
	return 0;
}
