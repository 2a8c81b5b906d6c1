/* SPDX-License-Identifier: BSD-2-Clause */
/* Versions: runs of digits and of letters, and four marks between them. */
#include "boot/init/version_order.h"

#include <stdbool.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Other characters only separate. */
static const char *skip(const char *p)
{
	while (*p && !is_digit(*p) && !is_letter(*p) && !strchr("~-^.", *p))
		p++;
	return p;
}

static int order(long a, long b)
{
	return (a > b) - (a < b);
}

/* If one of them is at the mark, the other one is newer. */
static int by_mark(const char **a, const char **b, char mark)
{
	int rc = order(**a != mark, **b != mark);

	if (!rc && **a == mark) {
		++*a;
		++*b;
	}
	return rc;
}

static int by_run(const char **a, const char **b)
{
	bool digits = is_digit(**a) || is_digit(**b);
	bool (*is)(char) = digits ? is_digit : is_letter;
	size_t m = 0, n = 0;
	int rc;

	while (digits && **a == '0' && is_digit((*a)[1]))
		++*a;
	while (digits && **b == '0' && is_digit((*b)[1]))
		++*b;
	while (is((*a)[m]))
		m++;
	while (is((*b)[n]))
		n++;
	/* a number is newer than none, and one with more digits is larger */
	rc = digits ? order((long)m, (long)n) : 0;
	if (!rc)
		rc = memcmp(*a, *b, m < n ? m : n);
	if (!rc)
		rc = order((long)m, (long)n);
	*a += m;
	*b += n;
	return rc;
}

int init_version_order(const char *a, const char *b)
{
	static const char marks[] = "-^.";
	int rc;

	for (;;) {
		a = skip(a);
		b = skip(b);
		rc = by_mark(&a, &b, '~');
		if (rc)
			return rc;
		if (!*a || !*b)
			return order(*a != '\0', *b != '\0');
		for (const char *m = marks; !rc && *m; m++)
			rc = by_mark(&a, &b, *m);
		if (!rc)
			rc = by_run(&a, &b);
		if (rc)
			return rc;
	}
}
