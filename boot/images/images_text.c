/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes of one connection, one after the other. */
#include "boot/images/images_text.h"

#include <string.h>

/* ms that the answer to one request may take. */
#define ANSWER_MS 10000

int images_text_open(struct images_text *t, const struct nbd_uri *u,
		     struct nbd_diag *d)
{
	static const struct tls_files no_files = { NULL, NULL, NULL };
	const struct nbd_config cfg = { .goal = NBD_GOAL_EXPORT,
					.tls = u->tls,
					.name = u->name,
					.name_len = u->name_len };
	int rc;

	/* the credentials stay: their files may be gone by now */
	memset(&t->conn, 0, sizeof(t->conn));
	memset(&t->io, 0, sizeof(t->io));
	rc = device_tls_dial(&t->tls, &t->conn, 1, u, &cfg, &no_files, false,
			     d);
	t->open = !rc;
	if (t->open)
		nbd_start(&t->conn.c, &t->io);
	return rc;
}

static int ask(struct images_text *t, const struct nbd_op *op,
	       struct nbd_diag *d)
{
	struct nbd_client *c = &t->conn.c;
	int rc = nbd_submit(c, op), err;
	struct nbd_req *r;

	t->conn.deadline = nbd_now_ms() + ANSWER_MS;
	if (rc >= 0) {
		rc = dial_resume(&t->conn, d);
		if (rc) {
			t->open = false;
			return rc;
		}
		r = nbd_reap(c);
		rc = nbd_req_result(r);
		nbd_release(c, r);
	}
	if (!rc)
		return NBD_OK;
	err = rc < 0 ? rc : NBD_E_IO;
	/* it takes no other request: the next one needs a new connection */
	if (nbd_must_close(c)) {
		err = NBD_E_SHUTDOWN;
		dial_hangup(&t->conn, 1);
		t->open = false;
	}
	return nbd_diag(d, err, "%s: %s",
			op->type == NBD_CMD_READ ? "read" : "write",
			nbd_result_text(rc));
}

static uint64_t block_of(const struct nbd_export *e)
{
	return e->has_block ? e->min_block : 1;
}

static int transfer(struct images_text *t, unsigned type, uint64_t at,
		    void *buf, uint64_t len, struct nbd_diag *d)
{
	struct nbd_iov v = { buf, (size_t)len };
	const struct nbd_op op = { .type = (uint16_t)type,
				   .offset = at,
				   .len = len,
				   .iov = &v,
				   .n_iov = 1 };

	return ask(t, &op, d);
}

static int no_room(const struct nbd_export *e, struct nbd_diag *d)
{
	return nbd_diag(d, NBD_E_RANGE, "it has %llu bytes, in blocks of %u",
			(unsigned long long)e->size, (unsigned)block_of(e));
}

int images_text_read(struct images_text *t, void *buf, size_t cap,
		     struct nbd_diag *d)
{
	const struct nbd_export *e = nbd_export(&t->conn.c);
	uint64_t most = nbd_max_payload(&t->conn.c) & ~(block_of(e) - 1), n;
	uint64_t len = (cap < e->size ? cap : e->size) & ~(block_of(e) - 1);
	int rc = len ? NBD_OK : no_room(e, d);

	for (uint64_t at = 0; !rc && at < len; at += n) {
		n = len - at < most ? len - at : most;
		rc = transfer(t, NBD_CMD_READ, at, (char *)buf + at, n, d);
	}
	return rc ? rc : (int)len;
}

int images_text_write(struct images_text *t, const void *buf, size_t len,
		      struct nbd_diag *d)
{
	const struct nbd_export *e = nbd_export(&t->conn.c);
	const struct nbd_op flush = { .type = NBD_CMD_FLUSH };
	char block[4096] = { 0 };
	/* no export has a request for less than a block */
	uint64_t all = (len + block_of(e) - 1) & ~(block_of(e) - 1);
	int rc;

	if (e->flags & NBD_FLAG_READ_ONLY)
		return nbd_diag(d, NBD_E_READ_ONLY, "it is read-only");
	if (all > e->size || all > sizeof(block))
		return no_room(e, d);
	memcpy(block, buf, len);
	rc = transfer(t, NBD_CMD_WRITE, 0, block, all, d);
	return rc || !(e->flags & NBD_FLAG_SEND_FLUSH) ? rc : ask(t, &flush, d);
}

void images_text_close(struct images_text *t)
{
	if (t->open)
		dial_hangup(&t->conn, 1);
	t->open = false;
	device_tls_close(&t->tls);
}

int images_text_first(struct images_text *t, const struct nbd_uri uri[],
		      unsigned n, char *text, size_t cap, struct nbd_diag *d)
{
	int len = nbd_diag(d, NBD_E_USAGE, "it names no server");
	uint64_t size = 0;

	for (unsigned i = 0; i < n && len <= 0; i++) {
		len = images_text_open(t, &uri[i], d);
		if (!len)
			len = images_text_read(t, text, cap, d);
		size = len < 0 ? 0 : nbd_export(&t->conn.c)->size;
		images_text_close(t);
	}
	if (len < 0)
		return len;
	if ((uint64_t)len < size && !memchr(text, '\0', (size_t)len))
		return nbd_diag(d, NBD_E_USAGE,
				"the text on the server has more than %d bytes",
				len);
	return (int)strnlen(text, (size_t)len);
}
