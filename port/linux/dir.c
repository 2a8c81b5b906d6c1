/* SPDX-License-Identifier: BSD-2-Clause */
/* getdents64(2), and files that are read whole. */
#include "port/linux/dir.h"

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
	return d->fd < 0 ? -errno : 0;
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

int dir_read(int at, const char *name, char *buf, size_t cap)
{
	int fd = openat(at, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd;
	size_t len = 0;

	while (n >= 0 && len < cap - 1) {
		n = read(fd, buf + len, cap - 1 - len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	if (n < 0) {
		len = 0;
		n = -errno;
	}
	buf[len] = '\0';
	if (fd >= 0)
		close(fd);
	return n < 0 ? (int)n : (int)len;
}

int dir_write(int at, const char *name, const void *data, size_t len)
{
	int fd = openat(at, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			0644);
	ssize_t n = fd < 0 ? -1 : write(fd, data, len);
	/* what is written in part has no room for more */
	int rc = n < 0 ? -errno : (size_t)n < len ? -ENOSPC : 0;

	if (fd >= 0)
		close(fd);
	return rc;
}

uint64_t dir_number(int at, const char *name)
{
	char buf[21], *p = buf;
	uint64_t v = 0;

	dir_read(at, name, buf, sizeof(buf));
	for (; *p >= '0' && *p <= '9'; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	return p - buf < 20 ? v : 0;
}
