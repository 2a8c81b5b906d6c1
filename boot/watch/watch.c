/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One process for each device.  For several devices, or all, a parent starts
 * one child for each, so that the outage of one never delays another.
 */
#include "boot/watch/watch.h"
#include "boot/common/harden.h"
#include "boot/common/ready.h"
#include "port/linux/nbdk_watch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Devices at once; any others are reported, and not watched. */
#define DEVICES_MAX 64
/* ms until a device is examined again. */
#define LATER_MS    500

#define ANY (-1)

static struct child {
	pid_t pid; /* 0: free */
	int index;
} children[DEVICES_MAX];

/* ---- uevents: a device was connected, or disconnected ---- */

static struct nl_sock uevents;

int watch_uevent_open(struct nbd_diag *d)
{
	int err = nl_open(&uevents, NETLINK_KOBJECT_UEVENT, NL_UEVENTS, d);

	return err ? err : uevents.fd;
}

bool watch_uevent_is_nbd(void)
{
	const char *text = (const char *)uevents.buf;
	bool found = false;
	int n;

	/* "change@/devices/virtual/block/nbd0"; a lost event may be that */
	while ((n = nl_hear(&uevents, MSG_DONTWAIT)) >= 0) {
		/* normally NUL-terminated already */
		uevents.buf[n ? n - 1 : 0] = '\0';
		found |= !n || strstr(text, "/block/nbd");
	}
	return found;
}

/* ---- children ---- */

static watch_report *report;

static int watch_one(int index)
{
	char name[16];
	static struct nbd_diag d;
	int err = watch_worker_run(index, &d);

	nbd_fmt(name, sizeof(name), "nbd%d", index);
	return err ? report(name, err, &d) : 0;
}

/* Finds a child by its pid (0: a free slot), or with ANY by its device. */
static struct child *find(pid_t pid, int index)
{
	struct child *c = children;

	for (; c < children + DEVICES_MAX; c++)
		if (pid == ANY ? c->pid && c->index == index : c->pid == pid)
			return c;
	return NULL;
}

static bool is_watched(int index)
{
	return find(ANY, index);
}

static int start(int index)
{
	struct child *c = find(0, 0);
	pid_t parent = getpid();

	if (is_watched(index))
		return 0;
	if (c)
		c->pid = _Fork();
	if (!c || c->pid < 0) {
		if (c)
			c->pid = 0;
		return report("watch", NBD_E_NO_MEMORY, NULL);
	}
	c->index = index;
	if (c->pid)
		return 0;
	/* when the parent ends, all children end */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	boot_ready_child();
	_exit(watch_one(index));
}

static void reap(void)
{
	struct child *c;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		c = find(pid, 0);
		if (c)
			c->pid = 0;
	}
}

/* Events to wait for: uevents, and the ends of others' watchers. */
static struct pollfd events[1 + DEVICES_MAX];
static unsigned n_events;

/*
 * A root may have a watcher of its own, started in the initramfs: it stays.
 * When its process has ended, which may be soon, the device is ours.
 */
static bool is_anothers(int index)
{
	pid_t pid = watch_takeover_holder(index);
	int fd;

	if (!pid || n_events == sizeof(events) / sizeof(events[0]))
		return pid;
	/* before Linux 5.3 this fails, and the next uevent has to do */
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0)
		return errno != ESRCH;
	events[n_events++] = (struct pollfd){ fd, POLLIN, 0 };
	return true;
}

static void start_all(void)
{
	static struct device dev;
	struct nbdk_iter it = { 0 };
	int index;

	while (n_events > 1)
		close(events[--n_events].fd);
	while ((index = nbdk_next(&it)) >= 0)
		if (!is_watched(index) && !device_identify(&dev, index, NULL) &&
		    !is_anothers(index))
			start(index);
}

/*
 * Waits until a device may have come, or may have lost its watcher.  The driver
 * sends its uevent before it sets the identifier, and no other uevent follows,
 * so every device is examined again a little later.
 */
static void await_change(void)
{
	static bool again = true;
	bool look = false;

	while (!look) {
		if (!poll(events, n_events, again ? LATER_MS : -1)) {
			again = false;
			return;
		}
		look = watch_uevent_is_nbd();
		for (unsigned i = 1; i < n_events; i++)
			look |= events[i].revents;
	}
	again = true;
}

/* Searches for new devices whenever the kernel reports a change. */
int watch_all(watch_report *failed)
{
	static struct nbd_diag d;
	int told = watch_uevent_open(&d);
	int held = told < 0 ? told : watch_takeover(WATCH_ALL, &d);

	report = failed;
	boot_harden();
	if (held < 0)
		return report("watch", held, &d);
	events[0] = (struct pollfd){ told, POLLIN, 0 };
	n_events = 1;
	boot_ready_open();
	start_all();
	boot_ready_await();
	for (;;) {
		await_change();
		reap();
		start_all();
	}
}

int watch_devices(const int index[], unsigned n, watch_report *failed)
{
	int status = 0, s;

	report = failed;
	if (n == 1)
		return watch_one(index[0]);
	/* children whose parent is killed end with it */
	boot_harden();
	boot_ready_open();
	for (unsigned i = 0; i < n; i++)
		status |= start(index[i]);
	boot_ready_await();
	while (wait(&s) > 0 || errno == EINTR)
		status |= WIFEXITED(s) ? WEXITSTATUS(s) : 0;
	return status;
}
