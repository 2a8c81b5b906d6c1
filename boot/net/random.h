/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to net: the pauses of its clients. */
#ifndef BOOT_NET_RANDOM_H
#define BOOT_NET_RANDOM_H

#include <stdint.h>

/*
 * Returns the next 24 bits after *state.  Knuth's generator is enough: it only
 * has to keep a thousand machines apart.
 */
static inline uint32_t net_random_next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

#endif
