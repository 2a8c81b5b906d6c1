/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot watch: one process for a device.  For several devices, or all, one
 * more that starts theirs: so the outage of one never keeps another waiting.
 */
#include "boot/watch/watch.h"
#include "boot/cli/cli.h"
#include "port/linux/nbdk_watch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Devices at once; more are told of, and not watched. */
#define DEVICES_MAX 64

static struct child {
	pid_t pid; /* 0: free */
	int index;
} children[DEVICES_MAX];

/* ---- uevents: a device was connected, or disconnected ---- */

int uevent_open(void)
{
	struct sockaddr_nl a = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

bool uevent_is_nbd(int fd)
{
	static char text[4096];
	bool found = false;
	ssize_t n;

	/* "change@/devices/virtual/block/nbd0"; what was lost may have been */
	while ((n = recv(fd, text, sizeof(text) - 1, 0)) > 0 ||
	       (n < 0 && (errno == ENOBUFS || errno == EINTR))) {
		text[n > 0 ? n : 0] = '\0';
		found |= n < 0 || strstr(text, "/block/nbd");
	}
	return found;
}

/* ---- children ---- */

static int watch_one(int index)
{
	char name[16];
	struct nbd_diag d = { "" };
	int err = worker_run(index, &d);

	nbd_fmt(name, sizeof(name), "nbd%d", index);
	return err ? cli_fail(name, err, &d) : CLI_OK;
}

static struct child *find(int index, pid_t pid)
{
	for (unsigned i = 0; i < DEVICES_MAX; i++)
		if (children[i].pid == pid &&
		    (index < 0 || children[i].index == index))
			return &children[i];
	return NULL;
}

static bool is_watched(int index)
{
	for (unsigned i = 0; i < DEVICES_MAX; i++)
		if (children[i].pid && children[i].index == index)
			return true;
	return false;
}

static void start(int index, const sigset_t *signals)
{
	struct child *c = find(-1, 0);

	if (!c || is_watched(index))
		return;
	c->index = index;
	c->pid = fork();
	if (c->pid < 0)
		c->pid = 0;
	if (c->pid)
		return;
	/* who ends the first process ends them all */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_SETMASK, signals, NULL);
	_exit(watch_one(index));
}

static void reap(void)
{
	struct child *c;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		c = find(-1, pid);
		if (c)
			c->pid = 0;
	}
}

static void start_all(const sigset_t *signals)
{
	static struct device dev;
	struct nbdk_iter it = { 0 };
	int index;

	while ((index = nbdk_next(&it)) >= 0)
		if (!is_watched(index) &&
		    (device_read(&dev, index, NULL) == 0 || dev.known))
			start(index, signals);
}

/* New devices are looked for when the kernel tells of a change. */
static int watch_all(const sigset_t *signals)
{
	struct pollfd p = { .fd = uevent_open(), .events = POLLIN };

	if (p.fd < 0)
		return cli_fail("watch", NBD_E_KERNEL,
				&(struct nbd_diag){ "no uevents" });
	for (bool look = true;;) {
		if (look)
			start_all(signals);
		poll(&p, 1, -1);
		look = uevent_is_nbd(p.fd);
		reap();
	}
}

/* Ends when the last of them is disconnected. */
static int watch_some(char *names[], const sigset_t *signals)
{
	int status = CLI_OK, s;

	for (; *names; names++)
		start(nbdk_parse_name(*names), signals);
	while (wait(&s) > 0 || errno == EINTR)
		status |= WIFEXITED(s) ? WEXITSTATUS(s) : 0;
	return status;
}

/* The mark that systemd passes over at the end (its "root storage daemons"). */
static void mark(char *name)
{
	if (access("/etc/initrd-release", F_OK) == 0 && name[0])
		name[0] = '@';
}

int cmd_watch(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 0 } };
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	sigset_t signals;

	/* a page of 2 MiB would hold what is used of it, and all the rest */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	if (cli_next(&a, options) < 0)
		return CLI_USAGE;
	for (int i = a.i; i < argc; i++)
		if (nbdk_parse_name(argv[i]) < 0)
			return cli_no_device(argv[0], argv[i]);
	mark(cli_self);
	sigprocmask(SIG_BLOCK, NULL, &signals);
	if (argc - a.i == 1)
		return watch_one(nbdk_parse_name(argv[a.i]));
	return argc == a.i ? watch_all(&signals)
			   : watch_some(argv + a.i, &signals);
}
