/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of another root, whose links cannot lead out of it. */
#ifndef PORT_LINUX_INSIDE_H
#define PORT_LINUX_INSIDE_H

#include <stdbool.h>

#define INSIDE_PATH 32

/*
 * Opens path as if `root`, an open directory, were /, with O_PATH: a directory,
 * or anything.  `links`: symbolic links are followed, and stay inside.  -1 and
 * errno after a failure: ENOSYS before Linux 5.6.
 */
int inside_open(int root, const char *path, bool directory, bool links);

/* The same to read a file; one that is not a regular file is ENOENT. */
int inside_open_file(int root, const char *path);

/* The path of an open file, for calls that take no descriptor. */
const char *inside_path(char path[INSIDE_PATH], int fd);

#endif
