/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts processes that stay.  Each has a name of its own, so that ps(1) and
 * systemd can identify it, and reports when it is ready (sd_notify(3)).
 */
#include "boot/init/spawn.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "port/linux/process.h"

/* ms: the process reads files and the device, and asks a name server. */
#define READY_MS 30000

/* The kernel chooses its name (unix(7), autobind): five hex digits. */
static int ready_socket(char name[8])
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(a);
	int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (s < 0)
		return -1;
	if (bind(s, (struct sockaddr *)&a, sizeof(a.sun_family)) ||
	    getsockname(s, (struct sockaddr *)&a, &len)) {
		close(s);
		return -1;
	}
	memcpy(name, a.sun_path + 1, 5);
	name[5] = '\0';
	return s;
}

static _Noreturn void become(char *command, char *option, int index,
			     const char *ready, const struct spawner *by)
{
	static char self[256], name[16], notify[32];
	char *device = index < 0 ? NULL : name;
	char *argv[6] = { "@nbdboot", command };
	size_t n_words = 2;
	char *env[] = { notify, NULL };
	const char *path = by->leave ? by->leave() : NULL;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (option)
		argv[n_words++] = option;
	if (device)
		argv[n_words++] = device;
	argv[n_words] = by->word;
	nbd_fmt(name, sizeof(name), "nbd%d", index);
	nbd_fmt(notify, sizeof(notify), "NOTIFY_SOCKET=@%s", ready);
	/* its comm is the name by which it is executed */
	if (!path && n > 0 && (!symlink(self, "/nbdboot") || errno == EEXIST))
		path = "/nbdboot";
	if (path) {
		sigprocmask(SIG_SETMASK, by->signals, NULL);
		execve(path, argv, env);
	}
	_exit(1);
}

void init_spawn_start(struct spawned *child, char *command, char *option,
		      int index, const struct spawner *by)
{
	char name[8] = "";

	child->ready = ready_socket(name);
	child->pid = child->ready < 0 ? -1 : _Fork();
	if (child->pid == 0)
		become(command, option, index, name, by);
}

bool init_spawn_ready(struct spawned *child)
{
	struct pollfd p[2] = { { child->ready, POLLIN, 0 }, { -1, POLLIN, 0 } };

	if (child->pid <= 0) {
		init_spawn_stop(child);
		return false;
	}
	/* before Linux 5.3 its end is not noticed until the time is over */
	p[1].fd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	poll(p, 2, READY_MS);
	if (p[1].fd >= 0)
		close(p[1].fd);
	if (!p[0].revents) {
		init_spawn_stop(child);
		return false;
	}
	close(child->ready);
	child->ready = 0;
	return true;
}

void init_spawn_stop(struct spawned *child)
{
	process_stop(&child->pid, SIGTERM);
	if (child->ready > 0)
		close(child->ready);
	*child = (struct spawned){ 0 };
}
