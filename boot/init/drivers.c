/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coldplug and hotplug.  A device says by its modalias what it is; loading a
 * bus's driver makes the devices behind it appear (virtio_pci: virtio_net).
 */
#include "boot/init/drivers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/init/console.h"
#include "port/linux/dir.h"
#include "port/linux/link.h"
#include "port/linux/module.h"

/* More rounds than buses can be behind one another. */
#define ROUNDS 16

static pid_t watcher;

static void load(const char *alias)
{
	struct nbd_diag d;
	int rc = mod_load_alias(alias, &d);

	if (rc < 0 && rc != NBD_E_NOT_FOUND)
		say("driver for %s: %s", alias, d.text);
}

static void load_device(const char *bus, const char *device)
{
	char path[256], alias[512];
	ssize_t n;
	int fd;

	if (nbd_fmt(path, sizeof(path), "/sys/bus/%s/devices/%s/modalias", bus,
		    device) < 0)
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, alias, sizeof(alias) - 1);
	close(fd);
	if (n <= 0)
		return;
	alias[n] = '\0';
	alias[strcspn(alias, "\n")] = '\0';
	if (alias[0])
		load(alias);
}

static int load_bus(const char *bus)
{
	char path[256];
	const char *name;
	struct dir dir;
	int n = 0;

	nbd_fmt(path, sizeof(path), "/sys/bus/%s/devices", bus);
	dir_open(&dir, path);
	for (; (name = dir_next(&dir)); n++)
		load_device(bus, name);
	dir_close(&dir);
	return n;
}

static int load_all(void)
{
	const char *name;
	struct dir dir;
	int n = 0;

	dir_open(&dir, "/sys/bus");
	while ((name = dir_next(&dir)))
		n += load_bus(name);
	dir_close(&dir);
	return n;
}

int drivers_load(void)
{
	int before = -1, n = 0, round;

	/* what turns up behind a driver is announced to the watcher */
	for (round = 0; round < (watcher > 0 ? 1 : ROUNDS) && n != before;
	     round++) {
		before = n;
		n = load_all();
	}
	note("%d devices after %d rounds", n, round);
	return n;
}

static void set_up(const char *interface)
{
	struct nbd_diag d;
	int index = link_find(interface, NULL, &d);

	if (index >= 0 && link_up(index, &d) < 0)
		say("%s", d.text);
}

/* A uevent is "add@/devices/...", then KEY=value strings, each with a NUL. */
static void hotplug(const char *p, size_t len, bool links)
{
	size_t n;

	if (len < 4 || memcmp(p, "add@", 4) != 0)
		return;
	for (; len; p += n, len -= n) {
		n = strnlen(p, len) + 1;
		if (n > len)
			return;
		if (!strncmp(p, "MODALIAS=", 9) && p[9])
			load(p + 9);
		if (links && !strncmp(p, "INTERFACE=", 10))
			set_up(p + 10);
	}
}

static void watch(int fd, bool links)
{
	static char buf[8192];
	struct sockaddr_nl from;

	/* nothing of ours outlives the boot, whatever happens to process 1 */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		struct iovec v = { buf, sizeof(buf) };
		struct msghdr m = { .msg_name = &from,
				    .msg_namelen = sizeof(from),
				    .msg_iov = &v,
				    .msg_iovlen = 1 };
		ssize_t n = recvmsg(fd, &m, 0);

		/* ENOBUFS: events were lost, so look at everything again */
		if (n < 0 && errno == ENOBUFS)
			drivers_load();
		else if (n < 0 && errno != EINTR)
			_exit(1);
		/* only the kernel's own */
		if (n > 0 && from.nl_pid == 0)
			hotplug(buf, (size_t)n, links);
	}
}

void drivers_watch(bool links)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd;

	if (watcher > 0)
		return;
	fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC,
		    NETLINK_KOBJECT_UEVENT);
	if (fd >= 0 && !bind(fd, (struct sockaddr *)&kernel, sizeof(kernel)))
		watcher = _Fork(); /* fork() brings locks for threads along */
	else
		watcher = -1;
	if (watcher == 0)
		watch(fd, links);
	if (watcher < 0)
		say("hotplug: %s; only the devices of now are looked at",
		    strerror(errno));
	if (fd >= 0)
		close(fd);
}

void drivers_unwatch(void)
{
	if (watcher <= 0)
		return;
	kill(watcher, SIGKILL);
	while (waitpid(watcher, NULL, 0) < 0 && errno == EINTR)
		;
	watcher = 0;
}
