/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * With every network driver modules.alias has 160 KB, and to match all lines
 * takes 2 million instructions, for each device of a machine.  So mkinitramfs.sh
 * groups the lines, and only those of the device's bus are matched.
 */
#include <string.h>

#include "port/linux/module_alias.h"

static const char mark[] = "# by bus\n";

/* How the bus of the line at p, "alias BUS:...", compares with another bus. */
static int compare(const char *p, const char *end, const char *bus, size_t len)
{
	static const char word[] = "alias ", ends[] = ": *?[";
	size_t i = 0;

	if ((size_t)(end - p) > sizeof(word) - 1)
		p += sizeof(word) - 1;
	for (; p + i < end && !memchr(ends, p[i], sizeof(ends) - 1); i++) {
		int diff = i < len ? (unsigned char)mod_norm(p[i]) -
					     (unsigned char)mod_norm(bus[i])
				   : 1;

		if (diff)
			return diff < 0 ? -1 : 1;
	}
	return i < len ? -1 : 0;
}

/* The first line from low on whose bus compares as most or more. */
static const char *seek(const char *low, const char *high, const char *bus,
			size_t len, int most)
{
	const char *middle, *line, *end;

	while (low < high) {
		middle = low + (high - low) / 2;
		line = memrchr(low, '\n', (size_t)(middle - low));
		line = line ? line + 1 : low;
		end = memchr(middle, '\n', (size_t)(high - middle));
		end = end ? end + 1 : high;
		if (compare(line, end, bus, len) < most)
			low = end;
		else
			high = line;
	}
	return low;
}

void mod_alias_narrow(const char **lines, size_t *len, const char *alias)
{
	const char *low = *lines, *high = low + *len;
	const char *colon = strchr(alias, ':');
	size_t bus = colon ? (size_t)(colon - alias) : 0;

	if (!colon || *len < sizeof(mark) - 1 ||
	    memcmp(low, mark, sizeof(mark) - 1) != 0)
		return;
	low = seek(low + sizeof(mark) - 1, high, alias, bus, 0);
	high = seek(low, high, alias, bus, 1);
	*lines = low;
	*len = (size_t)(high - low);
}
