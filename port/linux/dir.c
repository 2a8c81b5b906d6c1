/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads directories with getdents64(2). */
#include "port/linux/dir.h"
#include "port/linux/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* struct linux_dirent64 of the kernel, fs/readdir.c */
struct entry {
	uint64_t ino;
	int64_t off;
	uint16_t len;
	uint8_t type;
	char name[];
};

void dir_take(struct dir *d, int fd)
{
	d->fd = fd;
	d->len = d->at = 0;
}

int dir_open(struct dir *d, const char *path)
{
	dir_take(d, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	return d->fd < 0 ? file_error(errno) : 0;
}

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

const char *dir_next(struct dir *d)
{
	const struct entry *e;

	do {
		if (d->at == d->len) {
			d->at = 0;
			d->len = d->fd < 0
					 ? 0
					 : (int)syscall(SYS_getdents64, d->fd,
							d->buf, sizeof(d->buf));
		}
		if (d->len <= 0) {
			d->len = 0;
			return NULL;
		}
		e = (const void *)((const char *)d->buf + d->at);
		d->at += e->len;
	} while (is_dots(e->name));
	return e->name;
}

void dir_close(struct dir *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}
