/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One watcher for a device.  It holds an abstract socket with the device's
 * name, which goes away with the process and those that have inherited it,
 * however they end.
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
#define END_MS	 10000
/* ms between tries while there is nobody to ask, and nothing to wait for. */
#define AGAIN_MS 20

static int name(struct sockaddr_un *a, int index)
{
	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	return (int)offsetof(struct sockaddr_un, sun_path) + 1 +
	       nbd_fmt(a->sun_path + 1, sizeof(a->sun_path) - 1,
		       "nbdboot/watch/nbd%d", index);
}

/* A connection to the process that holds the name, and whose it is; -1: none. */
static int call_holder(int index, struct ucred *who)
{
	struct sockaddr_un a;
	socklen_t len = (socklen_t)name(&a, index), n = sizeof(*who);
	/* non-blocking: anybody may fill the queue of a holder that is stuck */
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (!connect(s, (struct sockaddr *)&a, len) &&
	    !getsockopt(s, SOL_SOCKET, SO_PEERCRED, who, &n))
		return s;
	close(s);
	return -1;
}

static bool is_ours(const struct ucred *who)
{
	return who->uid == geteuid() && who->pid > 0;
}

/* Asks the holder to end, and waits until it has: its socket hangs up. */
static int end_other(int s, const struct ucred *who, int index,
		     struct nbd_diag *d)
{
	struct pollfd p = { .fd = s, .events = POLLIN };

	if (is_ours(who)) {
		kill(who->pid, SIGTERM);
		if (poll(&p, 1, END_MS) == 1)
			return 0;
	}
	return nbd_diag(d, NBD_E_IN_USE,
			"process %d of user %u watches nbd%d, and does not end",
			(int)who->pid, (unsigned)who->uid, index);
}

/* Once: 0 means to try again, until ms are over. */
static int replace(int index, int ms, struct nbd_diag *d)
{
	struct ucred who;
	int err, s = call_holder(index, &who);

	if (s >= 0) {
		err = end_other(s, &who, index, d);
		close(s);
		return err;
	}
	if (ms >= END_MS)
		return nbd_diag(d, NBD_E_IN_USE,
				"nbd%d has a watcher that does not answer",
				index);
	/* it goes, or comes, just now */
	poll(NULL, 0, AGAIN_MS);
	return 0;
}

pid_t watch_takeover_holder(int index)
{
	struct ucred who;
	int s = call_holder(index, &who);

	if (s < 0)
		return 0;
	close(s);
	return is_ours(&who) ? who.pid : 0;
}

void watch_takeover_answer(int fd)
{
	int s = accept(fd, NULL, NULL);

	if (s >= 0)
		close(s);
}

int watch_takeover(int index, struct nbd_diag *d)
{
	struct sockaddr_un a;
	socklen_t len = (socklen_t)name(&a, index);
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int err = 0;

	for (int ms = 0; !err && bind(s, (struct sockaddr *)&a, len);
	     ms += AGAIN_MS)
		err = errno == EADDRINUSE
			      ? replace(index, ms, d)
			      : nbd_diag(d, NBD_E_KERNEL, "bind a socket: %s",
					 strerror(errno));
	if (!err && listen(s, 1))
		err = nbd_diag(d, NBD_E_KERNEL, "listen on a socket: %s",
			       strerror(errno));
	if (err)
		close(s);
	return err ? err : s;
}
