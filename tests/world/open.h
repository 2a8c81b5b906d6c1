/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open() knows the files of world.files first; world.others says what others are.
 * A text is opened as a file in memory.
 */
#ifndef TESTS_WORLD_OPEN_H
#define TESTS_WORLD_OPEN_H

#include "tests/world/file.h"
#include "tests/world/world.h"

/* name opens target, with the flags of the caller. */
void world_link(const char *name, const char *target);

/* The path in world.run of what is in /run; valid until the next call. */
const char *world_run(const char *path);

#endif
