/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes for people. */
#include "boot/cli/cli.h"

void cli_put_size(uint64_t size)
{
	static const char unit[] = "BKMGTPE";
	unsigned i = 0;
	uint64_t tenths = size;

	cli_putf("%llu", (unsigned long long)size);
	while (tenths >= 1024 && (i == 0 || tenths >= 10240)) {
		/* from the first step on in tenths, so that .1 is not lost */
		tenths = i == 0 ? tenths / 1024 * 10 + tenths % 1024 / 103
				: tenths / 1024;
		i++;
	}
	if (i)
		cli_putf(" (%llu.%u%c)", (unsigned long long)(tenths / 10),
			 (unsigned)(tenths % 10), unit[i]);
}
