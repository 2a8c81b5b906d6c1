/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tasks of a copy wait for, and which of them makes a source hang up:
 *
 *	all at once --failures--> the first one alone --failures--> skip it
 *	     ^--------an answer--------'
 */
#include "boot/copy/copy.h"

/* Failures before each piece is asked for alone; others may be the cause. */
#define ALONE (COPY_FAILURES / 2)

uint64_t copy_low_water(const struct copy *c)
{
	uint64_t low = c->scan.offset;

	for (unsigned i = 0; i < c->depth; i++)
		if (c->tasks[i].step != TASK_FREE && c->tasks[i].offset < low)
			low = c->tasks[i].offset;
	return low;
}

const struct side *copy_waits_for(const struct copy *c, const struct task *t)
{
	switch (t->step) {
	case TASK_READ:
		return c->src;
	case TASK_WRITE:
	case TASK_COMPARE:
		return c->dst;
	default:
		return NULL;
	}
}

/* The first task that waits for the source, and is held, or is not; or NULL. */
static struct task *first(struct copy *c, bool held)
{
	struct task *found = NULL;

	for (unsigned i = 0; i < c->depth; i++) {
		struct task *t = &c->tasks[i];

		if (t->step == TASK_READ && t->held == held &&
		    (!found || t->offset < found->offset))
			found = t;
	}
	return found;
}

/* Until the copy moves on. */
static bool is_suspect(const struct copy *c)
{
	const struct copy_link *l = c->src->link;

	return l && l->failures >= ALONE && copy_low_water(c) == l->low;
}

bool copy_must_ask_alone(struct copy *c)
{
	return is_suspect(c) && (first(c, false) || first(c, true));
}

struct task *copy_next_held(struct copy *c)
{
	for (unsigned i = 0; i < c->depth; i++)
		if (c->tasks[i].held && c->tasks[i].step != TASK_READ)
			return &c->tasks[i];
	return is_suspect(c) && first(c, false) ? NULL : first(c, true);
}

struct task *copy_deadly(struct copy *c, const struct side *s)
{
	struct copy_link *l = s->link;
	struct task *t = first(c, false);

	if (s != c->src || !l || l->failures <= COPY_FAILURES ||
	    !l->o->skip_bad || !t)
		return NULL;
	/* a new outage, with all its patience */
	l->failures = 0;
	l->away = 0;
	return t;
}
