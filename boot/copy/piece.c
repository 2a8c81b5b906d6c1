/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a task, which takes one piece from the source to its end. */
#include "boot/copy/copy.h"
#include "boot/copy/hash_tree.h"

int copy_prepare(struct copy *c)
{
	int err = c->prepared ? 0
			      : copy_side_set_size(c->dst, c->src->size, c->d);

	c->prepared |= !err;
	return err;
}

/* A pipe is written in order, and a hash is made in order. */
static bool is_turn(const struct copy *c, const struct task *t)
{
	return (!c->dst->is_pipe || t->offset == c->written) &&
	       copy_hash_is_turn(c, t);
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
		return is_turn(c, t) ? 0 : COPY_PENDING;
	case TASK_WRITE:
		rc = copy_prepare(c);
		if (rc || (t->zero && c->dst->is_zero))
			return rc;
		return t->zero ? c->dst->ops->zero(c->dst, t, c->d)
			       : c->dst->ops->write(c->dst, t, c->d);
	case TASK_COMPARE:
		/* of a file that has to grow, there is nothing to compare */
		rc = t->offset + t->len > c->dst->size ? copy_prepare(c) : 0;
		return rc ? rc : c->dst->ops->read(c->dst, t, &t->other, c->d);
	default:
		return 0;
	}
}

/* Sets t->step to the one after a finished step, or to TASK_FREE. */
static int next(struct copy *c, struct task *t)
{
	switch (t->step) {
	case TASK_READ:
		t->step = c->compare && !c->hash.reads ? TASK_COMPARE
						       : TASK_TURN;
		return copy_tree_check(c, t);
	case TASK_TURN:
		copy_hash_take(c, t);
		t->step = c->compare ? TASK_FREE
			  : c->delta ? TASK_COMPARE
				     : TASK_WRITE;
		return 0;
	case TASK_COMPARE:
		if (!c->compare) {
			t->step = copy_delta_first(c, t) ? TASK_WRITE
							 : TASK_FREE;
			return 0;
		}
		t->step = TASK_FREE;
		return copy_compare(c, t);
	default:
		c->written += t->len;
		if (!copy_delta_next(c, t))
			t->step = TASK_FREE;
		return 0;
	}
}

/* Has the source failed to read it, and is that no end of the copy? */
static bool is_skipped(struct copy *c, struct task *t, int err)
{
	if (err >= 0 || t->step != TASK_READ || !t->bad ||
	    !copy_rescue_skips(c, t))
		return false;
	t->step = TASK_FREE;
	return true;
}

void copy_advance(struct copy *c, struct task *t)
{
	int rc = 0;

	while (rc == 0 && t->step != TASK_FREE) {
		rc = begin(c, t);
		if (is_skipped(c, t, rc))
			rc = 0;
		else if (rc == 0)
			rc = next(c, t);
	}
	if (rc < 0 && !c->err)
		c->err = rc;
	if (t->step == TASK_FREE)
		c->active--;
}

void copy_done(struct copy *c, struct task *t, int err)
{
	if (is_skipped(c, t, err))
		err = 0;
	else if (!err)
		err = next(c, t);
	if (err && !c->err)
		c->err = err;
	if (t->step == TASK_FREE)
		c->active--;
	else if (!c->err)
		copy_advance(c, t);
}

/* ---- turns ---- */

/* A task whose turn has come. */
static struct task *next_in_turn(struct copy *c)
{
	for (unsigned i = 0; i < c->depth; i++)
		if (c->tasks[i].step == TASK_TURN && is_turn(c, &c->tasks[i]))
			return &c->tasks[i];
	return NULL;
}

bool copy_take_turns(struct copy *c)
{
	struct task *t;
	bool any = false;

	while (!c->err && (t = next_in_turn(c))) {
		copy_advance(c, t);
		any = true;
	}
	return any;
}
