/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors that a program relies on, and files that somebody else names. */
#ifndef PORT_POSIX_OPEN_H
#define PORT_POSIX_OPEN_H

#include <sys/stat.h>

/*
 * Takes the descriptors 0 to 2 that are closed, so that no file or socket gets
 * one of them: a message would be written into it.  They still cannot be read
 * or written (EBADF), so a command whose standard output is closed fails.
 * Every main() calls this first.
 */
void open_standard(void);

/*
 * Opens a file that a word, an option, a server or DHCP names, to be read.  It
 * must be a regular file: the open of any other may wait for ever (a FIFO), or
 * act (a watchdog).  A read that would wait fails, too (/proc/kmsg).  *st is of
 * the open file.  Returns the descriptor, or -1 and the reason in *why.
 */
int open_plain(const char *path, struct stat *st, const char **why);

#endif
