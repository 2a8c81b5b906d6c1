/* SPDX-License-Identifier: BSD-2-Clause */
/* Payload that goes from a file to a socket, and never into memory. */
#include "boot/copy/copy.h"

#include <errno.h>
#include <string.h>
#include <sys/sendfile.h>

/* The task that p points into, if its payload is still in the file; or NULL. */
static struct task *unread(struct copy *c, const void *p)
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
 * Sends v, part of that payload, from the file to a socket.  Returns the bytes
 * sent (> 0) or NBD_E_AGAIN.  0: the payload is in memory now; write it.
 *
 * Data that cannot be read is sent as zeroes, and the copy fails: the header of
 * the request announced that many bytes, and nbdkit 1.32 aborts if a client
 * disconnects with requests in flight.
 */
static int send_file(struct copy *c, struct task *t, const struct nbd_iov *v,
		     int fd)
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

static int read_below(struct nbd_transport *t, void *buf, size_t len)
{
	struct nbd_transport *below = ((struct page_sender *)t)->below;

	return below->read(below, buf, len);
}

/* Sends the first parts of v that are in memory, or v[0] from the file. */
static int write_pages(struct nbd_transport *t, const struct nbd_iov v[],
		       unsigned n)
{
	struct page_sender *p = (struct page_sender *)t; /* its first member */
	struct copy *c = p->side->copy;
	struct task *task = NULL;
	unsigned memory = 0;
	int sent;

	/* the goodbye of a copy that was refused, which has none, is in memory */
	while (memory < n && !(c && (task = unread(c, v[memory].base))))
		memory++;
	if (task && !memory && (sent = send_file(c, task, v, p->fd)) != 0)
		return sent;
	return p->below->write(p->below, v, memory ? memory : 1);
}

/*
 * A UNIX socket takes pages of a file without a copy, which saves a third of
 * the time.  So does TCP, but its receiver loses twice what the sender saves.
 */
void copy_link_take_pages(struct side *s)
{
	struct copy_link *l = s->link;

	s->takes_pages = s->output && l->uri->is_unix && !l->uri->tls;
	for (unsigned i = 0; s->takes_pages && i < l->n; i++) {
		l->pages[i] = (struct page_sender){
			.t = { .read = read_below, .write = write_pages },
			.below = l->conns[i].t,
			.side = s,
			.fd = l->conns[i].s.fd,
		};
		l->conns[i].t = &l->pages[i].t;
	}
}
