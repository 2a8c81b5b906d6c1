/* SPDX-License-Identifier: BSD-2-Clause */
/* Masks of networks. */
#include "boot/net/mask.h"

#include <arpa/inet.h>
#include <stdint.h>

#include "port/text.h"

int net_mask_prefix(const char *text, unsigned bits)
{
	uint8_t m[4];
	uint32_t v;
	int n = 0;

	if (inet_pton(AF_INET, text, m) != 1)
		return (int)nbd_number(text, 0, (long)bits);
	v = (uint32_t)m[0] << 24 | (uint32_t)m[1] << 16 | (uint32_t)m[2] << 8 |
	    m[3];
	for (; v & 0x80000000; v <<= 1)
		n++;
	return v || bits != 32 ? -1 : n;
}
