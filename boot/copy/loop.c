/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The poll loop.  Tasks take pieces from the scan and go through their steps
 * until the source is exhausted; then the destination is flushed.  Files are
 * read and written synchronously; requests to servers are polled.
 */
#include "boot/copy/copy.h"
#include "boot/copy/hash_tree.h"

#include <poll.h>

/*
 * The payload of the only copy in a process.  Not in struct copy, which is
 * zeroed; aligned, so that a page that is read does not touch two pages here.
 */
static _Alignas(4096) char pool[COPY_POOL];

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
	bool same = false;
	int rc = copy_scan_next(&c->scan, t, &same, c->d);

	if (!rc && t->len && c->src->is_pipe)
		rc = read_pipe(c, t);
	if (rc)
		return rc;
	if (t->len == 0)
		return COPY_PENDING;
	c->compared += same ? t->len : 0;
	if (same ||
	    (t->zero && c->dst->is_zero && !c->compare && !c->hash.wanted))
		return 0;
	copy_tree_expect(c->scan.tree, t);
	if (!t->zero)
		copy_pay(c, t->len, nbd_now_ns());
	t->iov.len = t->other.len = t->len;
	t->rest = 0;
	t->bad = t->held = false;
	t->step = c->src->is_pipe ? TASK_TURN : TASK_READ;
	c->active++;
	copy_advance(c, t);
	return 0;
}

static bool must_pause(struct copy *c)
{
	return copy_must_ask_alone(c) ||
	       (c->rate && copy_must_pause(c, nbd_now_ns()));
}

/* Between files, tasks are done at once: the loop needs a turn, too. */
static bool fill(struct copy *c)
{
	struct task *t;
	bool any = false;

	for (unsigned turns = c->depth;
	     turns && !copy_interrupted && !c->err && !c->lost &&
	     (t = free_task(c)) && !must_pause(c);
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

/*
 * The server of the destination was away, and may have lost what it had not
 * flushed: all of that is copied again.
 */
static int copy_again(struct copy *c)
{
	c->in_flush = false;
	copy_hash_forget(c);
	if (c->rescue) {
		c->lost = true;
		return 0;
	}
	if (!c->src->is_pipe)
		c->kept = c->safe;
	if (c->compare) {
		/* or because the hash begins again */
		c->lost |= c->safe < c->src->size;
		return 0;
	}
	if (!c->src->is_pipe)
		copy_aim(c, c->safe, c->scan.end, 0);
	else if (c->written)
		return nbd_diag(c->d, NBD_E_CUT,
				"%s was away, and may have lost what it has "
				"not flushed; that cannot be read again from "
				"a pipe",
				c->dst->name);
	return 0;
}

/*
 * s has failed with err once too often.  Skips the piece that it was asked for
 * alone, if errors are to be skipped: true, and s can be opened again.
 */
static bool skip_deadly(struct copy *c, const struct side *s, int err)
{
	struct task *t = copy_deadly(c, s);

	if (!t)
		return false;
	t->bad = true;
	copy_done(c, t, err);
	return !c->err;
}

/* Returns 1 once the server of that side is back, or why it is not. */
static int recover(struct copy *c, struct side *s, int why)
{
	/* all in flight is behind c->safe: the scan finds it again */
	bool scanned = s == c->dst && !c->compare && !c->src->is_pipe &&
		       !c->rescue;
	int err = copy_side_reconnect(s, why, c->d);

	if (err && skip_deadly(c, s, err))
		err = copy_side_reconnect(s, why, c->d);
	if (!err && s == c->dst)
		err = copy_again(c);
	if (err)
		return err;
	for (unsigned i = 0; i < c->depth; i++) {
		struct task *t = &c->tasks[i];

		if (copy_waits_for(c, t) != s)
			continue;
		if (scanned) {
			t->step = TASK_FREE;
			t->held = false;
			c->active--;
		} else {
			t->held = true;
		}
	}
	c->moved = nbd_now_ns();
	return 1;
}

/* Asks again for what was in flight in an outage. */
static void ask_held(struct copy *c)
{
	struct task *t;

	while (!c->err && (t = copy_next_held(c))) {
		t->held = false;
		copy_advance(c, t);
	}
}

static bool pump(struct copy *c, struct side *s)
{
	int n = c->err ? 0 : copy_side_pump(s, c->d);

	if (n < 0 && !c->err)
		n = recover(c, s, n);
	if (n < 0 && !c->err)
		c->err = n;
	return n > 0;
}

/* No request has finished for too long. */
static void end_silence(struct copy *c)
{
	struct side *sides[] = { c->src, c->dst };
	int err = nbd_diag(c->d, NBD_E_TIMEOUT,
			   "no request finished at offset %llu: %s",
			   (unsigned long long)copy_low_water(c),
			   nbd_err_text(NBD_E_TIMEOUT));
	int n = err;

	for (unsigned i = 0; i < 2 && !c->err; i++) {
		if (!copy_side_waits(sides[i]))
			continue;
		n = recover(c, sides[i], err);
		if (n < 0)
			break;
	}
	if (n < 0 && !c->err)
		c->err = n;
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
	if (copy_must_pause(c, now)) {
		if (c->turn_at < next)
			next = c->turn_at;
		if (!c->active)
			end = now + COPY_SILENCE_NS;
	}
	if (copy_interrupted >= COPY_ABANDON)
		c->err = NBD_E_CUT;
	else if (now >= end)
		end_silence(c);
	else
		poll(fds, n,
		     (int)(((end < next ? end : next) - now) / 1000000) + 1);
}

static bool at_end(struct copy *c)
{
	return c->active == 0 &&
	       (copy_interrupted || c->lost || c->scan.offset == c->scan.end);
}

/* ---- flushing a server ---- */

/*
 * Starts a flush, or looks for the end of the one that was started; true at its
 * end.
 */
static bool flush_on(struct copy *c)
{
	int rc;

	if (!c->in_flush)
		c->flushing = copy_low_water(c);
	c->in_flush = true;
	rc = c->dst->ops->flush(c->dst, c->d);
	if (rc == COPY_PENDING)
		return false;
	c->in_flush = false;
	c->flush_at = nbd_now_ns() + COPY_FLUSH_NS;
	if (rc < 0 && !c->err)
		c->err = rc;
	else if (c->dst->link && c->dst->link->flags & NBD_FLAG_SEND_FLUSH)
		c->safe = c->flushing;
	return true;
}

/* So that not all must be copied again after an outage. */
static void flush_some(struct copy *c)
{
	if (c->rescue) {
		/* it flushes between two passes */
		if (copy_rescue_is_due(c))
			c->scan.end = c->scan.offset;
		return;
	}
	if (!c->dst->link || !c->dst->link->o->patience || c->src->is_pipe ||
	    c->err)
		return;
	if (c->in_flush ||
	    (nbd_now_ns() >= c->flush_at && copy_low_water(c) > c->safe))
		flush_on(c);
}

bool copy_is_behind(const struct copy *c)
{
	return c->lost || c->scan.offset != c->scan.end;
}

/* ---- a pass ---- */

void copy_pass(struct copy *c, bool compares)
{
	c->compare = compares;
	if ((compares || c->delta) && c->dst->zeroes > c->dst->piece)
		c->dst->zeroes = c->dst->piece;
	c->written = 0;
	c->moved = nbd_now_ns();
	c->flush_at = c->moved + COPY_FLUSH_NS;
	copy_progress_begin(&c->progress, c->progress.on, c->scan.offset,
			    c->scan.end);
	for (;;) {
		bool moved;

		ask_held(c);
		moved = fill(c);
		moved |= copy_take_turns(c);
		moved |= pump(c, c->src);
		moved |= pump(c, c->dst);
		if (c->err || at_end(c))
			break;
		if (moved)
			c->moved = nbd_now_ns();
		else
			wait(c);
		if (!compares) {
			copy_mark(c, copy_low_water(c));
			flush_some(c);
		}
		copy_progress_show(&c->progress, copy_low_water(c), false);
	}
}

void copy_flush(struct copy *c)
{
	/* one that was started before does not cover the last writes */
	unsigned more = c->in_flush ? 2 : 1;

	if (copy_interrupted)
		return;
	c->moved = nbd_now_ns();
	while (!c->err && !copy_is_behind(c) && more) {
		if (flush_on(c))
			more--;
		else if (!pump(c, c->dst) && !c->err)
			wait(c);
	}
}
