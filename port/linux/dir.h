/* SPDX-License-Identifier: BSD-2-Clause */
/* The names in a directory.  The C library's opendir() allocates memory. */
#ifndef PORT_LINUX_DIR_H
#define PORT_LINUX_DIR_H

#include <stddef.h>
#include <stdint.h>

/* About a page, so it may live on a stack. */
struct dir {
	int fd; /* -1: could not be opened; dir_next() then returns NULL */
	int len, at;
	uint64_t buf[128];
};

/*
 * Returns 0, or a negative enum nbd_err with errno set.  dir_close() may be
 * called in both cases.
 */
int dir_open(struct dir *dir, const char *path);
/* Takes ownership of an open directory. */
void dir_take(struct dir *dir, int fd);
/* The next name, never "." or "..", valid until the next call; or NULL. */
const char *dir_next(struct dir *dir);
void dir_close(struct dir *dir);

#endif
