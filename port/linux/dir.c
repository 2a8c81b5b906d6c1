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

void dir_take(struct dir *dir, int fd)
{
	dir->fd = fd;
	dir->len = dir->at = 0;
}

int dir_open(struct dir *dir, const char *path)
{
	dir_take(dir, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	return dir->fd < 0 ? file_error(errno) : 0;
}

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

const char *dir_next(struct dir *dir)
{
	const struct entry *e;

	do {
		if (dir->at == dir->len) {
			dir->at = 0;
			dir->len = dir->fd < 0 ? 0
					       : (int)syscall(SYS_getdents64,
							      dir->fd, dir->buf,
							      sizeof(dir->buf));
		}
		if (dir->len <= 0) {
			dir->len = 0;
			return NULL;
		}
		e = (const void *)((const char *)dir->buf + dir->at);
		dir->at += e->len;
	} while (is_dots(e->name));
	return e->name;
}

void dir_close(struct dir *dir)
{
	if (dir->fd >= 0)
		close(dir->fd);
	dir->fd = -1;
}
