/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports that the watch has begun.  Of several processes the parent reports
 * it, when each child is ready or has given up: the child's end of a pipe
 * closes.
 */
#include "boot/system/ready.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "port/text.h"

static int ends[2] = { -1, -1 };
static bool is_child;

/*
 * s for the receiver's queue to have room: it may itself wait for the device
 * that is to be watched.
 */
#define SEND_S 1

/* Sends it to $NOTIFY_SOCKET (sd_notify(3)). */
static void notify(const char *what)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	const struct timeval limit = { SEND_S, 0 };
	size_t n = path ? strlen(path) : 0;
	int s;

	if (n < 2 || n >= sizeof(a.sun_path))
		return;
	memcpy(a.sun_path, path, n);
	if (path[0] == '@')
		a.sun_path[0] = '\0';
	s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	n += offsetof(struct sockaddr_un, sun_path);
	setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	(void)sendto(s, what, strlen(what), 0, (struct sockaddr *)&a,
		     (socklen_t)n);
	close(s);
}

void boot_ready_tell(void)
{
	if (!is_child)
		notify("READY=1");
	close(ends[1]);
	ends[1] = -1;
}

void boot_ready_status(const char *text)
{
	char what[160];

	nbd_fmt(what, sizeof(what), "STATUS=%s", text);
	notify(what);
}

void boot_ready_open(void)
{
	/* after an error they seem ready too early, which does no harm */
	if (pipe(ends))
		ends[0] = ends[1] = -1;
}

void boot_ready_child(void)
{
	is_child = true;
	close(ends[0]);
}

void boot_ready_await(void)
{
	char c;

	close(ends[1]);
	/* nobody writes: read() returns when the last child closes its end */
	(void)!read(ends[0], &c, 1);
	close(ends[0]);
	ends[0] = ends[1] = -1;
	notify("READY=1");
}
