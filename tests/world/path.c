/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/path.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
ssize_t __real_readlink(const char *path, char *buf, size_t cap);
ssize_t __wrap_readlink(const char *path, char *buf, size_t cap);
int __real_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st);

void world_stat(const char *name, struct stat st)
{
	struct world_file *f = world_named(name);

	f->there = true;
	f->st = st;
}

void world_device(const char *name, unsigned major, unsigned minor)
{
	world_stat(name, (struct stat){ .st_mode = S_IFBLK | 0600,
					.st_rdev = makedev(major, minor) });
}

int __wrap_access(const char *path, int mode)
{
	struct world_file *f = world_find(path);

	return !f && world.others == WORLD_REAL ? __real_access(path, mode)
						: world_fails(f);
}

int __wrap_stat(const char *path, struct stat *st)
{
	struct world_file *f = world_find(path);

	if (!f && world.others == WORLD_REAL)
		return __real_stat(path, st);
	if (world_fails(f))
		return -1;
	*st = f->st;
	return 0;
}

ssize_t __wrap_readlink(const char *path, char *buf, size_t cap)
{
	struct world_file *f = world_find(path);
	size_t n;

	if (!f && world.others == WORLD_REAL)
		return __real_readlink(path, buf, cap);
	if (world_fails(f))
		return -1;
	if (!f->target) {
		errno = EINVAL;
		return -1;
	}
	n = strlen(f->target);
	n = n < cap ? n : cap;
	memcpy(buf, f->target, n);
	return (ssize_t)n;
}
