/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/words/boolean.h"

#include <string.h>
#include <stddef.h>

int boot_words_boolean(const char *value)
{
	/* no and yes in turns */
	static const char words[][6] = { "0", "1", "no",    "yes",
					 "n", "y", "false", "true",
					 "f", "t", "off",   "on" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(value, words[i]))
			return i % 2;
	return -1;
}
