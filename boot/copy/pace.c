/* SPDX-License-Identifier: BSD-2-Clause */
/* copy --rate: each piece pays, and the next one waits until that was earned. */
#include "boot/copy/copy.h"

/*
 * ns: what was earned and not used counts for so long, so that late timers do
 * not make the copy slower, and a pause no burst.
 */
#define CREDIT_NS (100 * UINT64_C(1000000))

bool copy_must_pause(const struct copy *c, uint64_t now)
{
	return c->rate && now < c->turn_at;
}

void copy_pay(struct copy *c, uint32_t len, uint64_t now)
{
	if (!c->rate)
		return;
	if (c->turn_at + CREDIT_NS < now)
		c->turn_at = now - CREDIT_NS;
	c->turn_at += len * UINT64_C(1000000000) / c->rate;
}

uint32_t copy_paced_piece(uint64_t rate, uint32_t piece, uint32_t align)
{
	uint64_t part = rate / 8 & ~(uint64_t)(align - 1);

	if (!rate || part >= piece)
		return piece;
	return part ? (uint32_t)part : align;
}
