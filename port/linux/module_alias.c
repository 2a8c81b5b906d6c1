/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of devices. */
#include "port/linux/module_alias.h"

#include <string.h>

/*
 * Matches c against the pattern's next element; returns the element's length,
 * or 0 if it does not match.  An unclosed bracket is an ordinary character.
 */
static size_t element(const char *p, const char *end, char c)
{
	const char *q = p + 1;
	bool invert, in = false;

	if (*p == '?')
		return 1;
	if (*p != '[' || !memchr(q, ']', (size_t)(end - q)))
		return mod_norm(*p) == mod_norm(c);
	invert = *q == '!';
	for (q += invert; *q != ']'; q++) {
		if (q[1] == '-' && q[2] != ']') {
			in |= c >= q[0] && c <= q[2];
			q += 2;
		} else {
			in |= c == *q;
		}
	}
	return in != invert ? (size_t)(q + 1 - p) : 0;
}

/* Backtracks only to the last star, so it takes at most len * text steps. */
bool mod_match(const char *pattern, size_t len, const char *text)
{
	const char *p = pattern, *end = p + len;
	const char *star = NULL, *from = text;
	size_t n;

	while (*text || p < end) {
		if (p < end && *p == '*') {
			star = ++p;
			from = text;
			continue;
		}
		/* most patterns begin with the same bytes as many others */
		if (*text && p < end && *p == *text && *p != '[') {
			p++;
			text++;
			continue;
		}
		n = p < end && *text ? element(p, end, *text) : 0;
		if (n) {
			p += n;
			text++;
			continue;
		}
		if (!star || !*from)
			return false;
		p = star;
		text = ++from;
	}
	return true;
}
