/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/verity/shape.h"

unsigned verity_fan_bits(const struct verity_map *m)
{
	unsigned bits = 0;

	while (m->tree.hash_block / m->digest >> (bits + 1))
		bits++;
	return bits;
}

uint64_t verity_up(uint64_t n, unsigned bits)
{
	return bits < 64 ? n >> bits : 0;
}

unsigned verity_levels(const struct verity_map *m)
{
	unsigned bits = verity_fan_bits(m), n = 0;

	while (verity_up(m->tree.data_blocks - 1, n * bits))
		n++;
	return n;
}

uint64_t verity_level_blocks(const struct verity_map *m, unsigned level)
{
	return verity_up(m->tree.data_blocks - 1,
			 verity_fan_bits(m) * (level + 1)) +
	       1;
}

uint64_t verity_level_first(const struct verity_map *m, unsigned level)
{
	uint64_t at = m->tree.start;

	for (unsigned i = verity_levels(m); i > level + 1; i--)
		at += verity_level_blocks(m, i - 1);
	return at;
}
