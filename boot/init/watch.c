/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starting what stays: a program of its own name, so that ps(1) and systemd
 * see what it is, which says when it is ready (sd_notify(3)).
 */
#include "boot/init/watch.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define READY	 "nbdboot/ready"
/* ms: it reads files and the device, and asks a name server. */
#define READY_MS 30000

static int ready = -1; /* where it says so */

static int ready_socket(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(a.sun_path + 1, READY, sizeof(READY) - 1);
	if (s >= 0 && bind(s, (struct sockaddr *)&a,
			   (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				       sizeof(READY)))) {
		close(s);
		s = -1;
	}
	return s;
}

static _Noreturn void become(char *command, int index, const sigset_t *signals)
{
	static char self[256], name[16];
	char *argv[] = { "@nbdboot", command, index < 0 ? NULL : name, NULL };
	char *env[] = { "NOTIFY_SOCKET=@" READY, NULL };
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	nbd_fmt(name, sizeof(name), "nbd%d", index);
	/* its comm is the name it is started by */
	if (n > 0 && (!symlink(self, "/nbdboot") || errno == EEXIST)) {
		sigprocmask(SIG_SETMASK, signals, NULL);
		execve("/nbdboot", argv, env);
	}
	_exit(1);
}

static void close_ready(void)
{
	if (ready >= 0)
		close(ready);
	ready = -1;
}

pid_t watch_start(char *command, int index, const sigset_t *signals)
{
	pid_t pid;

	/* of a boot that failed and begins again */
	close_ready();
	ready = ready_socket();
	pid = _Fork();
	if (pid == 0)
		become(command, index, signals);
	return pid;
}

pid_t watch_ready(pid_t pid)
{
	struct pollfd p[2] = { { ready, POLLIN, 0 }, { -1, POLLIN, 0 } };

	/* before Linux 5.3 its end is not noticed, but its silence is */
	p[1].fd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
	if (pid > 0)
		poll(p, 2, READY_MS);
	close_ready();
	if (p[1].fd >= 0)
		close(p[1].fd);
	if (pid > 0 && p[0].revents)
		return pid;
	if (pid > 0)
		watch_stop(pid);
	return -1;
}

void watch_stop(pid_t pid)
{
	kill(pid, SIGTERM);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
