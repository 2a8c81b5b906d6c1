/* SPDX-License-Identifier: BSD-2-Clause */
#include "port/posix/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/*
 * Process 1 of an initramfs may have no /dev yet, and no console: the kernel
 * then starts it with all three closed.
 */
void open_standard(void)
{
	/* each opened the other way round */
	static const int flags[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", flags[fd]) != fd)
			(void)open("/", O_PATH | O_DIRECTORY);
}

static bool is_plain(const struct stat *st, const char **why)
{
	if (S_ISREG(st->st_mode))
		return true;
	*why = "not a regular file";
	errno = EINVAL;
	return false;
}

int open_plain(const char *path, struct stat *st, const char **why)
{
	int fd;

	/* before the open, which may act; and after it, of what was opened */
	if (!stat(path, st) && !is_plain(st, why))
		return -1;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, st))
		*why = strerror(errno);
	else if (is_plain(st, why))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}
