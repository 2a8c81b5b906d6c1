/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages and attributes, two nests deep; patterns of modules.alias. */
#include "port/linux/module.h"
#include "port/linux/module_alias.h"
#include "port/linux/netlink.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned sum;

/* Touches every byte that the parser returns. */
static void walk(const unsigned char *p, size_t len, unsigned depth)
{
	struct nl_walk w = { p, len };
	struct nl_attr a;
	char text[16];

	while (nl_next(&w, &a)) {
		if (a.data < p || a.data + a.len > p + len)
			abort();
		for (size_t i = 0; i < a.len; i++)
			sum += a.data[i];
		sum += nl_num(&a);
		nl_str(&a, text, sizeof(text));
		if (!memchr(text, '\0', sizeof(text)))
			abort();
		if (depth)
			walk(a.data, a.len, depth - 1);
	}
	if (nl_find(p, len, 4, 1, &a) && a.data + a.len > p + len)
		abort();
}

static void match(const uint8_t *data, size_t size)
{
	size_t half = size / 2;
	char *pattern = malloc(half + 1), *text = malloc(size - half + 1);

	memcpy(pattern, data, half);
	memcpy(text, data + half, size - half);
	text[size - half] = '\0';
	sum += mod_match(pattern, half, text);
	free(text);
	free(pattern);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* a copy of its own, so that a byte too far is seen */
	unsigned char *copy = malloc(size ? size : 1);
	struct nl_walk w = { copy, size };
	struct nl_reply r;

	if (size)
		memcpy(copy, data, size);
	while (nl_next_msg(&w, &r))
		walk(r.data, r.len, 2);
	walk(copy, size, 2);
	free(copy);
	if (size && size < 512)
		match(data, size);
	return 0;
}
