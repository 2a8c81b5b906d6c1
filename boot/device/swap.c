/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares sockets and the kernel for I/O that must not wait for memory. */
#include "boot/device/swap.h"
#include "port/linux/file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>

/* Bytes per connection and direction; the kernel doubles them. */
#define BUFFER	   (256 * 1024)
/* KiB: for all other packets, and for both buffers of each connection. */
#define KEEP_BASE  8192u
#define KEEP_EACH  (4u * BUFFER / 1024)
#define KEEP_SHARE 16u

static const char file[] = "/proc/sys/vm/min_free_kbytes";

static void keep(unsigned long kib)
{
	char text[24];
	int n = nbd_fmt(text, sizeof(text), "%lu\n", kib);

	/* ignore errors: without the privilege CONNECT fails anyway */
	if (file_number(AT_FDCWD, file) < kib)
		file_write(AT_FDCWD, file, text, (size_t)n);
}

void device_swap_prepare(const struct backend *b, const int fds[], unsigned n)
{
	unsigned long kib = KEEP_BASE + KEEP_EACH * device_backend_slots(b),
		      most;
	struct sysinfo s = { 0 };
	int size = BUFFER;

	if (!b->swap)
		return;
	for (unsigned i = 0; i < n; i++) {
		setsockopt(fds[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
		setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	}
	sysinfo(&s);
	most = (unsigned long)((uint64_t)s.totalram * s.mem_unit / 1024 /
			       KEEP_SHARE);
	keep(kib < most ? kib : most);
}
