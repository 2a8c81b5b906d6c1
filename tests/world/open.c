/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

void world_link(const char *name, const char *target)
{
	struct world_file *f = world_named(name);

	f->there = true;
	f->target = target;
}

const char *world_run(const char *path)
{
	static char to[256];
	int n;

	if (!world.run || strncmp(path, "/run", 4) != 0 ||
	    (path[4] && path[4] != '/'))
		return path;
	n = snprintf(to, sizeof(to), "%s%s", world.run, path + 4);
	if (n < 0 || (size_t)n >= sizeof(to))
		world_fail("no room for %s", path);
	return to;
}

static int open_text(const struct world_file *f)
{
	int fd = memfd_create("world", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < f->len) {
		ssize_t n = write(fd, f->data + done, f->len - done);

		if (n <= 0)
			world_fail("no memory for %s", f->name);
		done += (size_t)n;
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

int __wrap_open(const char *path, int flags, ...)
{
	struct world_file *f = world_find(path);
	unsigned mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE)
		mode = va_arg(ap, unsigned);
	va_end(ap);
	if (!f && world.others == WORLD_REAL)
		return __real_open(world_run(path), flags, mode);
	if (world_fails(f))
		return -1;
	return f->target ? __real_open(f->target, flags, mode) : open_text(f);
}
