/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FNV-1a with 64 bits (the parameters are those of draft-eastlake-fnv), a byte at
 * a time.  It tells apart what differs by chance or mistake; whoever wants two
 * texts of one sum finds them.
 */
#ifndef PORT_FNV1A_H
#define PORT_FNV1A_H

#include <stdint.h>

/* The sum of no bytes. */
#define NBD_FNV1A UINT64_C(0xcbf29ce484222325)

/* The sum with one byte more.  It wraps, as tests/wraps.txt says. */
static inline uint64_t nbd_fnv1a(uint64_t sum, unsigned char c)
{
	return (sum ^ c) * UINT64_C(0x100000001b3);
}

#endif
