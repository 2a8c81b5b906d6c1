/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guard has one end of a pair of sockets, of which nobody else has the other
 * than its parent: a byte is a good end, an end of file is none.  It makes no other
 * call before that, so that nothing but a signal can end it.
 */
#include "boot/prefetch/guard.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/system/harden.h"

static _Noreturn void watch(int fd, const struct prefetch_guarded *of)
{
	char c;
	ssize_t n;

	of->part(of->ctx);
	/* locks of memory are not inherited */
	boot_harden();
	do
		n = read(fd, &c, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		of->mend(of->ctx);
	_exit(0);
}

void prefetch_guard_begin(struct prefetch_guard *g,
			  const struct prefetch_guarded *of)
{
	int ends[2];

	g->fd = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		boot_say("prefetch: no guard: %s", strerror(errno));
		return;
	}
	g->pid = _Fork();
	if (!g->pid) {
		close(ends[0]);
		watch(ends[1], of);
	}
	close(ends[1]);
	if (g->pid > 0) {
		g->fd = ends[0];
		return;
	}
	boot_say("prefetch: no guard: %s", strerror(errno));
	close(ends[0]);
}

void prefetch_guard_end(struct prefetch_guard *g)
{
	if (g->fd < 0)
		return;
	/* no SIGPIPE if it was killed */
	send(g->fd, "", 1, MSG_NOSIGNAL);
	close(g->fd);
	g->fd = -1;
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
