/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors that a program relies on. */
#ifndef PORT_POSIX_OPEN_H
#define PORT_POSIX_OPEN_H

/*
 * Takes the descriptors 0 to 2 that are closed, so that no file or socket gets
 * one of them: a message would be written into it.  They still cannot be read
 * or written (EBADF), so a command whose standard output is closed fails.
 * Every main() calls this first.
 */
void open_standard(void);

#endif
