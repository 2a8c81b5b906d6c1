/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small files, say of /sys, /proc and /run.  `at` is an open directory, or
 * AT_FDCWD.  Failures are a negative enum nbd_err, and errno has the details.
 */
#ifndef PORT_LINUX_FILE_H
#define PORT_LINUX_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads the first cap - 1 bytes and appends a NUL.  Returns how many there
 * were; on failure the text is empty.
 */
int file_read(int at, const char *name, char *buf, size_t cap);
/* Replaces the contents; a new file gets mode 0644.  Returns 0. */
int file_write(int at, const char *name, const void *data, size_t len);
/* The decimal number at its start; 0: none, or one of 20 digits or more. */
uint64_t file_number(int at, const char *name);

/*
 * Opens /run, and makes the directory nbdboot in it.  A process that outlives
 * the initramfs keeps it open, since /run has no path for it any more.
 */
int file_run(void);

/* NBD_E_NOT_FOUND, NBD_E_PERM or NBD_E_IO for an errno. */
int file_error(int err);

#endif
