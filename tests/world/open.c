/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

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
