/* SPDX-License-Identifier: BSD-2-Clause */
/* Little-endian loads, by bytes: no alignment, no casts. */
#ifndef NBD_LE_H
#define NBD_LE_H

#include <stdint.h>

static inline uint16_t le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t le32(const uint8_t *p)
{
	return le16(p) | (uint32_t)le16(p + 2) << 16;
}

static inline uint64_t le64(const uint8_t *p)
{
	return le32(p) | (uint64_t)le32(p + 4) << 32;
}

#endif
