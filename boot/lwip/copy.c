/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot-lwip copy: reads an export from one end to the other. */
#include "boot/lwip/lwip.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct piece {
	struct nbd_disk_op op;
	struct nbd_iov v;
	unsigned char buf[LWIP_PIECE];
};

static struct {
	uint64_t at; /* of the next piece */
	struct piece pieces[LWIP_DEPTH];
} s;

static void next(struct lwip_call *call, struct piece *p)
{
	uint64_t left = call->disk.export.size - s.at;
	size_t len = left < call->o.piece ? (size_t)left : call->o.piece;

	if (!len)
		return;
	p->v = (struct nbd_iov){ p->buf, len };
	p->op = (struct nbd_disk_op){ .op = { .type = NBD_CMD_READ,
					      .offset = s.at,
					      .len = len,
					      .iov = &p->v,
					      .n_iov = 1 },
				      .user = p };
	s.at += len;
	nbd_disk_add(&call->disk, &p->op);
}

static int keep(struct lwip_call *call, int fd, const struct piece *p)
{
	struct nbd_diag *d = &call->disk.d;
	const struct nbd_op *op = &p->op.op;
	int rc = p->op.result;
	ssize_t n;

	if (rc)
		return nbd_diag_prefix(
			d, rc < 0 ? rc : nbd_diag(d, NBD_E_IO, "server"),
			"read at %llu: %s", (unsigned long long)op->offset,
			nbd_result_text(rc));
	n = pwrite(fd, p->buf, (size_t)op->len, (off_t)op->offset);
	if (n == (ssize_t)op->len)
		return 0;
	return nbd_diag(d, NBD_E_IO, "write %s: %s", call->o.words[2],
			strerror(n < 0 ? errno : ENOSPC));
}

static int copy_all(struct lwip_call *call, int fd)
{
	struct nbd_disk_op *op;
	int err = 0;

	for (unsigned i = 0; i < call->o.depth; i++)
		next(call, &s.pieces[i]);
	while (!err) {
		op = nbd_disk_wait(&call->disk, 1000);
		if (op) {
			err = keep(call, fd, op->user);
			if (!err)
				next(call, op->user);
		} else if (!call->disk.open.first) {
			break;
		}
	}
	return err;
}

int lwip_copy(struct lwip_call *call)
{
	const char *name = call->o.words[2];
	uint64_t begin = nbd_now_ns(), ms;
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int err;

	if (fd < 0)
		return nbd_diag(&call->disk.d, NBD_E_IO, "open %s: %s", name,
				strerror(errno));
	err = copy_all(call, fd);
	if (close(fd) && !err)
		err = nbd_diag(&call->disk.d, NBD_E_IO, "write %s: %s", name,
			       strerror(errno));
	ms = (nbd_now_ns() - begin) / 1000000;
	if (!err)
		lwip_say(1, "%llu bytes in %llu ms, %u reconnects\n",
			 (unsigned long long)call->disk.export.size,
			 (unsigned long long)ms, call->disk.reconnects);
	return err;
}
