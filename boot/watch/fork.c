/* SPDX-License-Identifier: BSD-2-Clause */
/* The children of a watcher. */
#include "boot/watch/watch.h"

#include <unistd.h>

/* A watcher may have inherited one for each of the others (watch.c). */
#define FDS (2 * WATCH_MAX)

pid_t watch_fork(int a, int b)
{
	pid_t pid = _Fork();

	for (int fd = 3; !pid && fd < FDS; fd++)
		if (fd != a && fd != b)
			close(fd);
	return pid;
}
