/* SPDX-License-Identifier: BSD-2-Clause */
/* The one back-off. */
#include "port/retry.h"

uint32_t nbd_retry_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

uint32_t nbd_retry_ms(uint32_t min, uint32_t max, unsigned failures,
		      uint32_t *random)
{
	uint32_t ms = min;

	for (; failures && ms < max; failures--)
		ms = ms < max - ms ? ms * 2 : max;
	return ms - ms / 8 + nbd_retry_random(random) % (ms / 4 + 1);
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
	uint32_t ms = nbd_retry_ms(r->min, r->max, r->failures, &r->random);

	/* no more doublings than make a difference: the count cannot wrap */
	if (r->failures < 32)
		r->failures++;
	return ms;
}

int nbd_retry_failed(struct nbd_retry *r, int err)
{
	if (!nbd_err_is_outage(err) ||
	    (r->patience && nbd_now_ms() - r->begun >= r->patience))
		return err;
	return (int)nbd_retry_pause(r);
}
