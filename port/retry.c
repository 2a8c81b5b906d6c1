/* SPDX-License-Identifier: BSD-2-Clause */
/* The one back-off. */
#include "port/retry.h"

uint32_t nbd_retry_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static uint32_t doubled(uint32_t ms, uint32_t max, unsigned failures)
{
	for (; failures && ms < max; failures--)
		ms = ms < max - ms ? ms * 2 : max;
	return ms;
}

/* ms, and up to `part` of it more or less */
static uint32_t spread(uint32_t ms, uint32_t part, uint32_t *random)
{
	return ms - part + nbd_retry_random(random) % (part * 2 + 1);
}

uint32_t nbd_retry_ms(uint32_t min, uint32_t max, unsigned failures,
		      uint32_t *random)
{
	uint32_t ms = doubled(min, max, failures);

	return spread(ms, ms / 8, random);
}

void nbd_retry_begin(struct nbd_retry *r)
{
	uint64_t now = nbd_now_ns();

	/* machines that are switched on together differ in nanoseconds */
	if (!r->random)
		r->random = (uint32_t)(now ^ now >> 32) | 1;
	r->failures = 0;
	r->begun = now / 1000000;
}

uint32_t nbd_retry_pause(struct nbd_retry *r)
{
	uint32_t ms = doubled(r->min, r->max, r->failures);

	/* no more doublings than make a difference: the count cannot wrap */
	if (r->failures < 32)
		r->failures++;
	return spread(ms, ms / 2, &r->random);
}

int nbd_retry_failed(struct nbd_retry *r, int err)
{
	if (!nbd_err_is_outage(err) ||
	    (r->patience && nbd_now_ms() - r->begun >= r->patience))
		return err;
	return (int)nbd_retry_pause(r);
}
