/* SPDX-License-Identifier: BSD-2-Clause */
#include "port/posix/open.h"

#include <fcntl.h>

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
