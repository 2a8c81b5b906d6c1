/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/story.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>

int world_does(const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(line))
		world_fail("no room for the line: %.200s", line);
	world_note(world.story, sizeof(world.story), "%s\n", line);
	for (struct world_refusal *r = world.refusals;
	     r < world.refusals + WORLD_REFUSALS && r->line; r++) {
		if (fnmatch(r->line, line, 0))
			continue;
		if (r->done && r->done--)
			return 0;
		errno = r->error;
		return -1;
	}
	return 0;
}

void world_refuses(const char *line, int error, unsigned done)
{
	struct world_refusal *r = world.refusals;

	while (r < world.refusals + WORLD_REFUSALS && r->line)
		r++;
	if (r == world.refusals + WORLD_REFUSALS)
		world_fail("more than %d refusals", WORLD_REFUSALS);
	*r = (struct world_refusal){ line, error, done };
}
