/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One watcher for a device.  It holds an abstract socket with the device's
 * name, which goes away with the process, however that ends.
 */
#include "boot/watch/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* ms for the other one to end: it sleeps nearly always. */
#define END_MS 10000

static int name(struct sockaddr_un *a, int index)
{
	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	return (int)offsetof(struct sockaddr_un, sun_path) + 1 +
	       nbd_fmt(a->sun_path + 1, sizeof(a->sun_path) - 1,
		       "nbdboot/watch/nbd%d", index);
}

/* Asks the holder to end, and waits until it has: its socket hangs up. */
static int end_other(int s, int index, struct nbd_diag *d)
{
	struct pollfd p = { .fd = s, .events = POLLIN };
	struct ucred who = { 0 };
	socklen_t len = sizeof(who);

	if (getsockopt(s, SOL_SOCKET, SO_PEERCRED, &who, &len) ||
	    who.uid != geteuid() || who.pid <= 0)
		return nbd_diag(d, NBD_E_IN_USE,
				"process %d of user %u holds the name of the "
				"watcher of nbd%d",
				(int)who.pid, (unsigned)who.uid, index);
	kill(who.pid, SIGTERM);
	if (poll(&p, 1, END_MS) != 1)
		return nbd_diag(d, NBD_E_IN_USE,
				"process %d watches nbd%d already, and does "
				"not end",
				(int)who.pid, index);
	return 0;
}

int takeover(int index, struct nbd_diag *d)
{
	struct sockaddr_un a;
	socklen_t len = (socklen_t)name(&a, index);
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), other, err = 0;

	while (!err && bind(s, (struct sockaddr *)&a, len)) {
		if (errno != EADDRINUSE)
			return nbd_diag(d, NBD_E_KERNEL, "bind a socket: %s",
					strerror(errno));
		other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		/* not there any more: try again */
		if (!connect(other, (struct sockaddr *)&a, len))
			err = end_other(other, index, d);
		close(other);
	}
	if (!err && listen(s, 1))
		err = nbd_diag(d, NBD_E_KERNEL, "listen on a socket: %s",
			       strerror(errno));
	/* on success it stays open, which is its purpose */
	if (err)
		close(s);
	return err;
}
