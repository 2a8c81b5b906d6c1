/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access(), stat() and readlink(), the text of world_link(), know the files of
 * world.files first; world.others says what others are.
 */
#ifndef TESTS_WORLD_PATH_H
#define TESTS_WORLD_PATH_H

#include "tests/world/file.h"
#include "tests/world/world.h"

/* stat() of name has this result. */
void world_stat(const char *name, struct stat st);
void world_device(const char *name, unsigned major, unsigned minor);

#endif
