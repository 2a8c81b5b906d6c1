/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pieces that were compared: of those that differ, what is written has no block
 * that is equal.
 */
#include "boot/copy/copy.h"

#include <string.h>

/* The bytes from the start that both sides have the same. */
static uint32_t equal(const struct task *t)
{
	const char *a = t->iov.base, *b = t->other.base;
	uint32_t i = 0;

	if (!t->zero && memcmp(a, b, t->len) == 0)
		return t->len;
	while (i < t->len && b[i] == (t->zero ? 0 : a[i]))
		i++;
	return i;
}

int copy_compare(struct copy *c, const struct task *t)
{
	/* if lost, it is copied once more, and compared then */
	uint32_t i = c->lost ? t->len : equal(t);

	c->compared += i;
	if (i == t->len)
		return 0;
	c->differs = true;
	return nbd_diag(c->d, NBD_E_IO, "%s and %s differ at offset %llu",
			c->src->name, c->dst->name,
			(unsigned long long)t->offset + i);
}

/* ---- what is written ---- */

/* Bytes of a block, if the sides do not have larger ones: as most disks do. */
#define BLOCK 4096u

/* The length of the block that is `at` bytes behind the task's start. */
static uint32_t block_at(const struct copy *c, const struct task *t,
			 uint32_t at)
{
	uint32_t block = c->scan.align > BLOCK ? c->scan.align : BLOCK;

	return t->rest - at < block ? t->rest - at : block;
}

static bool is_same(const struct task *t, uint32_t at, uint32_t len)
{
	const char *is = (const char *)t->other.base + at;

	if (!t->zero)
		return !memcmp((const char *)t->iov.base + at, is, len);
	return !*is && !memcmp(is, is + 1, len - 1);
}

/* Past len bytes that are equal, or written. */
static void move(struct task *t, uint32_t len)
{
	t->offset += len;
	t->other.base = (char *)t->other.base + len;
	/* of zeroes it is no buffer */
	if (!t->zero)
		t->iov.base = (char *)t->iov.base + len;
}

static bool next_run(const struct copy *c, struct task *t)
{
	uint32_t len;

	while (t->rest && is_same(t, 0, len = block_at(c, t, 0))) {
		move(t, len);
		t->rest -= len;
	}
	t->len = 0;
	while (t->len < t->rest &&
	       !is_same(t, t->len, len = block_at(c, t, t->len)))
		t->len += len;
	t->rest -= t->len;
	t->iov.len = t->other.len = t->len;
	return t->len > 0;
}

bool copy_delta_first(const struct copy *c, struct task *t)
{
	t->rest = t->len;
	return next_run(c, t);
}

bool copy_delta_next(const struct copy *c, struct task *t)
{
	if (t->rest)
		move(t, t->len);
	return t->rest && next_run(c, t);
}
