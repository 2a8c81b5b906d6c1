/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads directories, and small files, for example of /sys or /proc.  The C
 * library's opendir() allocates, which costs 6 KiB of code in a static program
 * and which nothing here needs.
 */
#ifndef PORT_LINUX_DIR_H
#define PORT_LINUX_DIR_H

#include <stddef.h>
#include <stdint.h>

/* About a page; fine on a stack. */
struct dir {
	int fd; /* -1: could not be opened; then dir_next() has nothing */
	int len, at;
	uint64_t buf[128];
};

/* 0, or -errno.  dir_close() may be called either way. */
int dir_open(struct dir *d, const char *path);
/* Takes an open directory over. */
void dir_take(struct dir *d, int fd);
/* The next name, never "." or "..", valid until the next call; or NULL. */
const char *dir_next(struct dir *d);
void dir_close(struct dir *d);

/*
 * Reads the first cap - 1 bytes of a file in the directory `at` (or
 * AT_FDCWD), and adds a NUL.  Returns how many it read, or -errno and an empty
 * text.
 */
int dir_read(int at, const char *name, char *buf, size_t cap);
/* Makes the file what these bytes are, with mode 0644 if new: 0 or -errno. */
int dir_write(int at, const char *name, const void *data, size_t len);
/* The decimal number at its start; 0: none, or one of 20 digits or more. */
uint64_t dir_number(int at, const char *name);

#endif
