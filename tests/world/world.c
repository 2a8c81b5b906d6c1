/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world world;

/* What fails in cmocka, and in tests/sim/run.c: one of them may be there. */
void _fail(const char *file, int line) __attribute__((weak));
void sim_fail(const char *fmt, ...) __attribute__((weak));

void world_reset(void)
{
	world = (struct world){ .now = 0 };
}

void world_note(char *text, size_t cap, const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text + len, cap - len, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= cap - len)
		world_fail("no room for more than: %.200s", text);
}

void world_fail(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (sim_fail)
		sim_fail("%s", text);
	fprintf(stderr, "# the world: %s\n", text);
	if (_fail)
		_fail(__FILE__, __LINE__);
	abort();
}
