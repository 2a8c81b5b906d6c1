/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The poll loop.  Tasks take pieces from the scan and go through their steps
 * until the source is exhausted; then the destination is flushed.  Files are
 * read and written synchronously; requests to servers are polled.
 */
#include "boot/copy/copy.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/sendfile.h>

/* The default; 4 to 16 pieces in flight cost about the same CPU time. */
#define DEPTH 8

/*
 * The payload of the only copy in a process.  Not in struct copy, which is
 * zeroed; aligned, so that a page that is read does not touch two pages here.
 */
static _Alignas(4096) char pool[COPY_POOL];

/* ---- the steps of a task ---- */

static int compare(struct copy *c, const struct task *t)
{
	const char *a = t->iov.base, *b = t->other.base;
	uint32_t i = 0;

	if (t->zero ? t->len == 0 : memcmp(a, b, t->len) == 0)
		return 0;
	while (i < t->len && b[i] == (t->zero ? 0 : a[i]))
		i++;
	if (i == t->len)
		return 0;
	c->differs = true;
	return nbd_diag(c->d, NBD_E_IO, "%s and %s differ at offset %llu",
			c->src->name, c->dst->name,
			(unsigned long long)t->offset + i);
}

/*
 * Changes the destination for the first time, and only after the source could
 * be read.
 */
static int prepare(struct copy *c)
{
	int err = c->prepared ? 0
			      : copy_side_set_size(c->dst, c->src->size, c->d);

	c->prepared |= !err;
	return err;
}

/* Starts the step t->step; results as for the operations of a side. */
static int begin(struct copy *c, struct task *t)
{
	int rc;

	switch (t->step) {
	case TASK_READ:
		t->unread = c->straight && !c->compare && !t->zero;
		return t->zero || t->unread
			       ? 0
			       : c->src->ops->read(c->src, t, &t->iov, c->d);
	case TASK_TURN:
		return c->dst->is_pipe && t->offset != c->written ? COPY_PENDING
								  : 0;
	case TASK_WRITE:
		rc = prepare(c);
		if (rc)
			return rc;
		return t->zero ? c->dst->ops->zero(c->dst, t, c->d)
			       : c->dst->ops->write(c->dst, t, c->d);
	case TASK_COMPARE:
		return c->dst->ops->read(c->dst, t, &t->other, c->d);
	default:
		return 0;
	}
}

/* Sets t->step to the one after a finished step, or to TASK_FREE. */
static int next(struct copy *c, struct task *t)
{
	switch (t->step) {
	case TASK_READ:
		t->step = c->compare ? TASK_COMPARE : TASK_TURN;
		return 0;
	case TASK_TURN:
		t->step = TASK_WRITE;
		return 0;
	case TASK_COMPARE:
		t->step = TASK_FREE;
		return compare(c, t);
	default:
		c->written += t->len;
		t->step = TASK_FREE;
		return 0;
	}
}

static void advance(struct copy *c, struct task *t)
{
	int rc = 0;

	while (rc == 0 && t->step != TASK_FREE) {
		rc = begin(c, t);
		if (rc == 0)
			rc = next(c, t);
	}
	if (rc < 0 && !c->err)
		c->err = rc;
	if (t->step == TASK_FREE)
		c->active--;
}

void copy_done(struct copy *c, struct task *t, int err)
{
	if (!err)
		err = next(c, t);
	if (err && !c->err)
		c->err = err;
	if (t->step == TASK_FREE)
		c->active--;
	else if (!c->err)
		advance(c, t);
}

/* ---- payload that is never read into memory ---- */

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
	off_t at = (off_t)(t->offset + skip);
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

/* The task that must write to the pipe next, if it is ready. */
static struct task *next_in_turn(struct copy *c)
{
	for (unsigned i = 0; i < c->depth; i++)
		if (c->tasks[i].step == TASK_TURN &&
		    c->tasks[i].offset == c->written)
			return &c->tasks[i];
	return NULL;
}

static bool take_turns(struct copy *c)
{
	struct task *t;
	bool any = false;

	while (!c->err && (t = next_in_turn(c))) {
		advance(c, t);
		any = true;
	}
	return any;
}

/* ---- starting tasks ---- */

static struct task *free_task(struct copy *c)
{
	for (unsigned i = 0; i < c->depth; i++)
		if (c->tasks[i].step == TASK_FREE)
			return &c->tasks[i];
	return NULL;
}

/* A read from a pipe is never pending; at the end it is shorter. */
static int read_pipe(struct copy *c, struct task *t)
{
	uint32_t asked = t->len;
	int err = c->src->ops->read(c->src, t, &t->iov, c->d);

	if (!err && t->len < asked) {
		c->src->size = c->scan.offset = c->scan.end =
			t->offset + t->len;
		c->scan.left = 0;
	}
	return err;
}

/* Returns 0 if a task took a piece, COPY_PENDING if not now, or an error. */
static int take_piece(struct copy *c, struct task *t)
{
	int rc = copy_scan_next(&c->scan, t, &t->zero, c->d);

	if (!rc && t->len && c->src->is_pipe)
		rc = read_pipe(c, t);
	if (rc)
		return rc;
	if (t->len == 0)
		return COPY_PENDING;
	if (t->zero && c->dst->is_zero && !c->compare)
		return 0;
	t->iov.len = t->other.len = t->len;
	t->step = c->src->is_pipe ? TASK_TURN : TASK_READ;
	c->active++;
	advance(c, t);
	return 0;
}

/* Between files, tasks are done at once: the loop needs a turn, too. */
static bool fill(struct copy *c)
{
	struct task *t;
	bool any = false;

	for (unsigned turns = c->depth;
	     turns && !copy_interrupted && !c->err && (t = free_task(c));
	     turns--) {
		char *buf =
			pool + (size_t)(t - c->tasks) * (COPY_POOL / c->depth);
		int rc;

		t->iov.base = buf;
		t->other.base = buf + COPY_POOL / c->depth / 2;
		rc = take_piece(c, t);
		if (rc < 0 && !c->err)
			c->err = rc;
		if (rc)
			break;
		any = true;
	}
	return any;
}

/* ---- the loop ---- */

/* The offset before which everything is copied. */
static uint64_t low_water(struct copy *c)
{
	uint64_t low = c->scan.offset;

	for (unsigned i = 0; i < c->depth; i++)
		if (c->tasks[i].step != TASK_FREE && c->tasks[i].offset < low)
			low = c->tasks[i].offset;
	return low;
}

static bool pump(struct copy *c, struct side *s)
{
	int n = c->err ? 0 : copy_side_pump(s, c->d);

	if (n < 0)
		c->err = n;
	return n > 0;
}

/*
 * Sleeps until an event, a signal or the deadline; the next turn checks.  Not
 * longer than a record may wait.
 */
static void wait(struct copy *c)
{
	uint64_t now = nbd_now_ns(), end = c->moved + COPY_SILENCE_NS;
	uint64_t next = now + COPY_MARK_NS;
	struct pollfd fds[2 * COPY_LINKS];
	unsigned n = copy_side_poll(c->src, fds, 0);

	n = copy_side_poll(c->dst, fds, n);
	if (copy_interrupted >= COPY_ABANDON)
		c->err = NBD_E_CUT;
	else if (now >= end)
		c->err = nbd_diag(c->d, NBD_E_TIMEOUT,
				  "no request finished at offset %llu: %s",
				  (unsigned long long)low_water(c),
				  nbd_err_text(NBD_E_TIMEOUT));
	else
		poll(fds, n,
		     (int)(((end < next ? end : next) - now) / 1000000) + 1);
}

static bool at_end(struct copy *c)
{
	return c->active == 0 &&
	       (copy_interrupted || c->scan.offset == c->scan.end);
}

/* The next pass is over this part of the source; a stride of 0 has no gaps. */
static void aim(struct copy *c, uint64_t from, uint64_t end, uint64_t stride)
{
	c->scan.offset = from;
	c->scan.end = end;
	c->scan.stride = stride;
	c->scan.left = 0;
}

static void run_pass(struct copy *c, bool compares)
{
	c->compare = compares;
	if (compares && c->dst->zeroes > c->dst->piece)
		c->dst->zeroes = c->dst->piece;
	c->written = 0;
	c->moved = nbd_now_ns();
	copy_progress_begin(&c->progress, c->progress.on, c->scan.offset,
			    c->scan.end);
	for (;;) {
		bool moved = fill(c);

		if (c->dst->is_pipe)
			moved |= take_turns(c);
		moved |= pump(c, c->src);
		moved |= pump(c, c->dst);
		if (c->err || at_end(c))
			break;
		if (moved)
			c->moved = nbd_now_ns();
		else
			wait(c);
		if (!compares)
			copy_mark(c, low_water(c));
		copy_progress_show(&c->progress, low_water(c), false);
	}
}

/*
 * An interrupted copy is not flushed: fsync() of a file can take longer than
 * the user wants to wait, and no signal interrupts it.
 */
static void flush(struct copy *c)
{
	int rc;

	if (copy_interrupted)
		return;
	c->moved = nbd_now_ns();
	while (!c->err && (rc = c->dst->ops->flush(c->dst, c->d)) != 0) {
		if (rc < 0)
			c->err = rc;
		else if (!pump(c, c->dst) && !c->err)
			wait(c);
	}
}

static int refuse(const struct side *src, const struct side *dst,
		  struct nbd_diag *d)
{
	if (copy_side_same(src, dst))
		return nbd_diag(d, NBD_E_USAGE, "%s and %s are the same",
				src->name, dst->name);
	if (src->size == UINT64_MAX || dst->is_pipe)
		return 0;
	if (dst->size < src->size && !dst->grows)
		return nbd_diag(d, NBD_E_SIZE,
				"%s has %llu bytes, too few for the %llu of %s",
				dst->name, (unsigned long long)dst->size,
				(unsigned long long)src->size, src->name);
	if (src->size & (src->align - 1))
		return nbd_diag(
			d, NBD_E_ALIGN,
			"the %llu bytes of %s are not a multiple of "
			"its minimum block size, %u: the last %llu "
			"cannot be read",
			(unsigned long long)src->size, src->name, src->align,
			(unsigned long long)(src->size & (src->align - 1)));
	if (src->size & (dst->align - 1))
		return nbd_diag(d, NBD_E_ALIGN,
				"the %llu bytes of %s are not a multiple of "
				"the minimum block size of %s, %u",
				(unsigned long long)src->size, src->name,
				dst->name, dst->align);
	return 0;
}

/* Two pieces must fit into each task's part of the pool. */
static void set_depth(struct copy *c, const struct copy_options *o)
{
	uint32_t piece;

	c->depth = o->depth ? o->depth : DEPTH;
	piece = COPY_POOL / c->depth / (o->verify || o->resume ? 2 : 1);
	piece &= ~(c->scan.align - 1);
	if (c->src->piece > piece)
		c->src->piece = piece;
	if (c->dst->piece > piece)
		c->dst->piece = piece;
}

/* A pass without errors is a failure if the source's size changed meanwhile. */
static void end_pass(struct copy *c)
{
	if (!c->err && !copy_interrupted)
		c->err = copy_side_same_size(c->src, c->d);
}

static void set_up(struct copy *c, const struct copy_options *o)
{
	struct side *src = c->src, *dst = c->dst;

	src->copy = dst->copy = c;
	c->scan = (struct scan){ .src = src, .dst = dst };
	c->scan.align = src->align > dst->align ? src->align : dst->align;
	c->progress.on = o->progress;
	c->straight = dst->takes_pages && !src->link && !src->is_pipe;
	/* a file that grows gets zeroes beyond its old end */
	dst->is_zero = !dst->is_pipe && !o->resume &&
		       (o->destination_is_zero || (dst->grows && !dst->size));
	set_depth(c, o);
}

/* Is the source the one that was copied before?  Compares samples. */
static bool resume(struct copy *c)
{
	uint32_t zeroes = c->dst->zeroes, piece = c->dst->piece;
	uint64_t step;

	c->err = copy_mark_read(c);
	if (c->err)
		return false;
	step = c->mark.kept / COPY_SAMPLES & ~(uint64_t)(c->scan.align - 1);
	aim(c, 0, c->mark.kept, step > COPY_SAMPLE ? step : 0);
	if (piece > COPY_SAMPLE)
		c->dst->piece = COPY_SAMPLE;
	run_pass(c, true);
	end_pass(c);
	c->dst->zeroes = zeroes;
	c->dst->piece = piece;
	if (c->differs)
		nbd_diag_prefix(c->d, c->err,
				"%s" COPY_PART " is not from this source",
				c->dst->name);
	c->prepared = true;
	return !c->err || (copy_interrupted && !c->differs);
}

static void verify(struct copy *c)
{
	if (c->err || copy_interrupted)
		return;
	aim(c, 0, c->src->size, 0);
	run_pass(c, true);
	end_pass(c);
	copy_progress_show(&c->progress, low_water(c), true);
}

int copy_run(struct copy *c, const struct copy_options *o, uint64_t *done)
{
	int err = refuse(c->src, c->dst, c->d);

	*done = 0;
	if (err)
		return err;
	set_up(c, o);
	if (o->resume && !resume(c))
		return c->err;
	aim(c, c->mark.kept, c->src->size, 0);
	run_pass(c, false);
	end_pass(c);
	if (!c->err && !copy_interrupted)
		c->err = prepare(c);
	flush(c);
	*done = low_water(c);
	copy_progress_show(&c->progress, *done, true);
	if (o->verify)
		verify(c);
	copy_mark_end(c, *done);
	if (copy_interrupted && (!c->err || c->err == NBD_E_CUT))
		c->err = nbd_diag(c->d, NBD_E_CUT,
				  "interrupted: the first %llu bytes are "
				  "copied",
				  (unsigned long long)*done);
	if (!c->err)
		c->err = copy_side_complete(c->dst, c->d);
	return copy_mark_explain(c);
}
