/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct world world;

/* What fails in cmocka, and in tests/sim/run.c: one of them may be there. */
void _fail(const char *file, int line) __attribute__((weak));
void sim_fail(const char *fmt, ...) __attribute__((weak));

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
