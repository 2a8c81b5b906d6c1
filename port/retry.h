/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When to try again after a failure: pauses that double from one to the next,
 * and differ from machine to machine by up to a half.  Without that a fleet
 * whose server is restarted would retry in step.
 */
#ifndef NBD_RETRY_H
#define NBD_RETRY_H

#include "port/port.h"

struct nbd_retry {
	/* The caller sets these; the rest is zero at first. */
	uint32_t min, max; /* ms: the first pause, and the longest */
	uint32_t patience; /* ms from the begin to the last try; 0: no end */
	unsigned failures; /* since the begin: to be read, not set */
	/* private */
	uint32_t random;
	uint64_t begun; /* ms */
};

/* Starts the pauses, and the patience, from the first; also after a success. */
void nbd_retry_begin(struct nbd_retry *r);

/*
 * A try failed with err.  Returns the ms until the next one, or err: it cannot
 * pass (nbd_err_is_outage()), or has not for as long as r->patience.
 */
int nbd_retry_failed(struct nbd_retry *r, int err);

/* A try failed, and there will be another, whatever the error: ms until it. */
uint32_t nbd_retry_pause(struct nbd_retry *r);

/*
 * The same for callers that count and have a random state of their own: min ms,
 * doubled after each failure up to max, and up to an eighth more or less.
 */
uint32_t nbd_retry_ms(uint32_t min, uint32_t max, unsigned failures,
		      uint32_t *random);

/*
 * Returns the next 24 bits after *state.  Knuth's generator is enough: it only
 * has to keep a thousand machines apart.
 */
uint32_t nbd_retry_random(uint32_t *state);

#endif
