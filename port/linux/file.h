/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small files, such as those in /sys, /proc and /run.  `at` is AT_FDCWD or an
 * open directory.  Failures are a negative enum nbd_err; errno has the details.
 */
#ifndef PORT_LINUX_FILE_H
#define PORT_LINUX_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads at most cap - 1 bytes from the start and appends a NUL.  Returns the
 * number of bytes read; on failure buf is "".
 */
int file_read(int at, const char *name, char *buf, size_t cap);

/*
 * A text of any length, such as a table in /proc, line by line:
 *
 *	if (!file_lines_open(&f, "/proc/swaps"))
 *		while ((line = file_lines_next(&f)))
 *			...
 *
 * The last call of file_lines_next() closes it; file_lines_close() does before,
 * and may be called twice.
 */
#define FILE_LINE 4096
struct file_lines {
	int fd;
	size_t at, len;
	char buf[FILE_LINE + 1];
};

int file_lines_open(struct file_lines *f, const char *path);
/*
 * The next line without its newline, valid until the next call; NULL at the
 * end.  The caller may change it.  Of one with FILE_LINE bytes or more only the
 * end is returned.
 */
char *file_lines_next(struct file_lines *f);
void file_lines_close(struct file_lines *f);

/* Replaces the contents; a new file gets mode 0644.  Returns 0 on success. */
int file_write(int at, const char *name, const void *data, size_t len);
/*
 * Writes all of it at that offset.  False: errno says why, also where there was
 * room for a part.
 */
bool file_write_at(int fd, const void *data, size_t len, uint64_t at);
/* Reads all of it.  False: errno says why; ENODATA: the file ends before. */
bool file_read_at(int fd, void *buf, size_t len, uint64_t at);
/*
 * As file_write(), and makes the directories of the path, which is below at; but none
 * whose own path is longer than 127 bytes.
 */
int file_save(int at, const char *path, const void *data, size_t len);
/* The same, of a file that keeps what it had if there is no room, say. */
int file_replace(int at, const char *path, const void *data, size_t len);
/* The same, with the rest of the file `in`, and with that mode. */
int file_replace_by(int at, const char *path, int in, unsigned mode);
/* The decimal number at its start; 0 if none, or if it has over 19 digits. */
uint64_t file_number(int at, const char *name);
/*
 * The decimal number after n others in a line, as of /sys/block/NAME/stat; 0 if
 * there are fewer.
 */
uint64_t file_nth_number(const char *line, unsigned n);

/* The KiB in the line of /proc/meminfo that begins with key; 0: none has it. */
uint64_t file_meminfo(const char *key);

/*
 * Opens /run and makes the directory nbdboot in it.  A process that outlives
 * the initramfs keeps it open, because the path /run is then lost to it.
 */
int file_run(void);

/*
 * Waits at most ms for flock(2)'s exclusive lock on fd; 0 tries once.  False: it
 * is still held by others, or errno is another one than EWOULDBLOCK.
 */
bool file_lock(int fd, int ms);

/* Translates an errno into NBD_E_NOT_FOUND, NBD_E_PERM or NBD_E_IO. */
int file_error(int err);

#endif
