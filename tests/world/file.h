/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small files, such as those in /sys, /proc and /run: file_read(), file_number(),
 * file_meminfo(), file_write(), file_save() and file_replace() know those of
 * world.files alone; world.others says what others are.
 */
#ifndef TESTS_WORLD_FILE_H
#define TESTS_WORLD_FILE_H

#include "tests/world/world.h"

/*
 * A file of this name, or whose name matches it, has this text; NULL: it is not
 * there.  It takes the place of one of the same name; of several that match, the
 * first counts.  name and text stay the caller's.
 */
void world_file(const char *name, const char *text);
void world_data(const char *name, const void *data, size_t len);
/* Each access to it fails; 0: no more. */
void world_file_fails(const char *name, int error);
/* Writing to it does. */
void world_file_refuses(const char *name, int error);

/* A link: open() of name opens target, chdir() goes there, readlink() reads it. */
void world_link(const char *name, const char *target);

/* The path in world.run of what is in /run; valid until the next call. */
const char *world_run(const char *path);

/* For other parts: NULL: no test has named it. */
struct world_file *world_find(const char *name);
struct world_file *world_named(const char *name);
/* 0, or -1 and errno. */
int world_fails(const struct world_file *f);

#endif
