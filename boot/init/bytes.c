/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a device or an image at any place. */
#include "boot/init/super.h"

#include <errno.h>
#include <unistd.h>

int init_super_bytes(int fd, void *buf, size_t len, uint64_t at)
{
	unsigned char *p = buf;

	while (len) {
		ssize_t n = pread(fd, p, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? NBD_E_IO : 0;
		p += n;
		len -= (size_t)n;
		at += (uint64_t)n;
	}
	return 1;
}
