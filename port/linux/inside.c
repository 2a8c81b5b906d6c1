/* SPDX-License-Identifier: BSD-2-Clause */
/* openat2(2), for which musl has no name. */
#include "port/linux/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "port/port.h"

int inside_open(int root, const char *path, bool directory, bool links)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT };

	if (directory)
		how.flags |= O_DIRECTORY;
	if (!links)
		how.resolve |= RESOLVE_NO_SYMLINKS;
	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

const char *inside_path(char path[INSIDE_PATH], int fd)
{
	nbd_fmt(path, INSIDE_PATH, "/proc/self/fd/%d", fd);
	return path;
}

int inside_open_file(int root, const char *path)
{
	int at = inside_open(root, path, false, true), fd = -1;
	char again[INSIDE_PATH];
	struct stat st;

	if (at < 0)
		return -1;
	/* a device node might act when it is opened */
	if (!fstat(at, &st) && S_ISREG(st.st_mode))
		fd = open(inside_path(again, at), O_RDONLY | O_CLOEXEC);
	else
		errno = ENOENT;
	close(at);
	return fd;
}
