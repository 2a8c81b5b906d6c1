/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was done, in order: other parts and functions of a test write a line of
 * world.story for each step, and a test names those that fail.
 */
#ifndef TESTS_WORLD_STORY_H
#define TESTS_WORLD_STORY_H

#include "tests/world/world.h"

/* A line, and its result: 0, or -1 and errno. */
int world_does(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Each line that matches, as for fnmatch(3), fails with this errno, but not the
 * first `done` of them; the first pattern that matches counts.  It stays the
 * caller's.
 */
void world_refuses(const char *line, int error, unsigned done);

#endif
