/* SPDX-License-Identifier: BSD-2-Clause */
/* A copy without a map ends with the first error. */
#include "boot/copy/copy.h"

int copy_rescue_begin(struct copy *c, const struct copy_options *o)
{
	(void)c, (void)o;
	return 0;
}

uint64_t copy_rescue_all(struct copy *c)
{
	(void)c;
	return 0;
}

void copy_rescue_verify(struct copy *c)
{
	(void)c;
}

bool copy_rescue_skips(struct copy *c, const struct task *t)
{
	(void)c, (void)t;
	return false;
}

bool copy_rescue_is_due(const struct copy *c)
{
	(void)c;
	return false;
}

void copy_rescue_reach(struct copy *c, uint64_t low)
{
	(void)c, (void)low;
}

int copy_rescue_keep(struct copy *c, struct nbd_diag *d)
{
	(void)c, (void)d;
	return 0;
}

bool copy_rescue_has_map(const struct copy *c)
{
	(void)c;
	return false;
}

uint64_t copy_unreadable(const struct copy *c, unsigned *areas)
{
	(void)c;
	*areas = 0;
	return 0;
}

void copy_rescue_explain(const struct copy *c, char *text, size_t cap)
{
	(void)c, (void)text, (void)cap;
}
