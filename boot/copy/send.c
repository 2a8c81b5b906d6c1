/* SPDX-License-Identifier: BSD-2-Clause */
/* Payload that goes from a file to a socket, and never into memory. */
#include "boot/copy/copy.h"

#include <errno.h>
#include <string.h>
#include <sys/sendfile.h>

struct task *copy_unread(struct copy *c, const void *p)
{
	for (unsigned i = 0; i < c->depth; i++) {
		const char *base = c->tasks[i].iov.base;

		if (c->tasks[i].step == TASK_WRITE && c->tasks[i].unread &&
		    (const char *)p >= base &&
		    (const char *)p < base + c->tasks[i].len)
			return &c->tasks[i];
	}
	return NULL;
}

/*
 * Data that cannot be read is sent as zeroes, and the copy fails: the header of
 * the request announced that many bytes, and nbdkit 1.32 aborts if a client
 * disconnects with requests in flight.
 */
int copy_send(struct copy *c, struct task *t, const struct nbd_iov *v, int fd)
{
	size_t skip = (size_t)((char *)v->base - (char *)t->iov.base);
	off_t at = (off_t)(c->src->base + t->offset + skip);
	ssize_t n = sendfile(fd, c->src->fd, &at, v->len);
	int err;

	if (n > 0)
		return (int)n;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return NBD_E_AGAIN;
	/* the file or the socket failed: the next write shows which */
	t->unread = false;
	memset(t->iov.base, 0, t->len);
	err = c->src->ops->read(c->src, t, &t->iov, c->err ? NULL : c->d);
	if (err && !c->err)
		c->err = err;
	return 0;
}
