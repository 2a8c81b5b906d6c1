/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One process for each device.  For several devices, or all, a parent starts
 * one child for each, so that the outage of one never delays another.
 */
#include "boot/watch/watch.h"
#include "boot/system/harden.h"
#include "boot/system/ready.h"
#include "port/linux/nbdk_watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ms until a device is examined again. */
#define LATER_MS 500

#define ANY	(-1)
/* In place of a pid: the child has reported why its device is not watched. */
#define GAVE_UP (-2)

/* ---- the limit of an outage ---- */

int watch_outage_parse(const char *text, struct nbd_diag *d)
{
	bool known = strncmp(text, "reboot:", 7) == 0;
	long s = known ? nbd_number(text + 7, 1, INT32_MAX / 1000) : -1;

	return s > 0 ? (int)s
		     : nbd_diag(d, NBD_E_USAGE,
				"%s: not reboot:SECONDS, with 1 to %d seconds",
				text, INT32_MAX / 1000);
}

/* ---- children ---- */

static int watch_one(const struct watch *w, int index)
{
	char name[16];
	struct nbd_diag d = { "" };
	int err = watch_worker_run(index, w->outage, &d);

	nbd_fmt(name, sizeof(name), "nbd%d", index);
	return err ? w->failed(name, err, &d) : 0;
}

/* Finds a child by its pid (0: a free slot), or with ANY by its device. */
static struct watch_child *find(struct watch *w, pid_t pid, int index)
{
	struct watch_child *c = w->children;

	for (; c < w->children + WATCH_MAX; c++)
		if (pid == ANY ? c->pid && c->index == index : c->pid == pid)
			return c;
	return NULL;
}

static bool is_watched(struct watch *w, int index)
{
	return find(w, ANY, index);
}

/* Once, until there is room: all devices are examined every few seconds. */
static int fail_full(struct watch *w, int index)
{
	struct nbd_diag d;

	if (w->full)
		return 0;
	w->full = true;
	nbd_diag(&d, NBD_E_NO_MEMORY,
		 "nbd%d, and any further one, is not watched: there are more "
		 "than %d devices",
		 index, WATCH_MAX);
	return w->failed("watch", NBD_E_NO_MEMORY, &d);
}

/* For lack of processes, say.  No event tells when there are some again. */
static int fail_fork(struct watch *w, struct watch_child *c)
{
	bool reported = w->full;

	c->pid = 0;
	w->again = w->full = true;
	return reported ? 0 : w->failed("watch", NBD_E_NO_MEMORY, NULL);
}

static int start(struct watch *w, int index)
{
	struct watch_child *c = find(w, 0, 0);
	pid_t parent = getpid();

	if (is_watched(w, index))
		return 0;
	if (!c)
		return fail_full(w, index);
	c->pid = _Fork();
	if (c->pid < 0)
		return fail_fork(w, c);
	w->full = false;
	c->index = index;
	if (c->pid)
		return 0;
	/* when the parent ends, all children end */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	boot_ready_child();
	_exit(watch_one(w, index));
}

/* Was a child killed? */
static bool reap(struct watch *w)
{
	struct watch_child *c;
	bool killed = false;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		c = find(w, pid, 0);
		if (!c)
			continue;
		killed |= WIFSIGNALED(status);
		c->pid = WIFEXITED(status) && WEXITSTATUS(status) ? GAVE_UP : 0;
	}
	return killed;
}

static void forgive(struct watch *w)
{
	struct watch_child *c;

	while ((c = find(w, GAVE_UP, 0)))
		c->pid = 0;
}

/* The end of this process will be an event.  False: it has ended. */
static bool await_end(struct watch *w, pid_t pid)
{
	int fd;

	if (w->n_events == 1 + WATCH_MAX)
		return true;
	/* before Linux 5.3 this fails, and the next uevent has to do */
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0)
		return errno != ESRCH;
	w->events[w->n_events++] = (struct pollfd){ fd, POLLIN, 0 };
	return true;
}

/*
 * A root may have a watcher of its own, started in the initramfs: it stays.
 * When its process has ended, which may be soon, the device is ours.
 */
static bool is_anothers(struct watch *w, int index)
{
	pid_t pid = watch_takeover_holder(index);

	return pid && await_end(w, pid);
}

static void start_all(struct watch *w)
{
	struct nbdk_iter it = { 0 };
	struct watch_child *c;
	int index;

	while (w->n_events > 1)
		close(w->events[--w->n_events].fd);
	while ((index = nbdk_next(&it)) >= 0)
		if (!is_watched(w, index) &&
		    !device_identify(&w->dev, index, NULL) &&
		    !is_anothers(w, index))
			start(w, index);
	for (c = w->children; c < w->children + WATCH_MAX; c++)
		if (c->pid > 0)
			await_end(w, c->pid);
}

/*
 * Waits until a device may have come, or may have lost its watcher.  The driver
 * sends its uevent before it sets the identifier, and no other uevent follows,
 * so every device is examined again a little later.
 */
static void await_change(struct watch *w)
{
	bool look = false;

	while (!look) {
		if (!poll(w->events, w->n_events, w->again ? LATER_MS : -1)) {
			w->again = false;
			return;
		}
		look = watch_uevent_is_nbd(&w->uevents, NULL, NULL);
		if (look)
			forgive(w);
		for (unsigned i = 1; i < w->n_events; i++)
			look |= w->events[i].revents;
	}
	w->again = true;
}

/* Searches for new devices whenever the kernel reports a change. */
int watch_all(struct watch *w)
{
	struct nbd_diag d = { "" };
	int err = watch_uevent_open(&w->uevents, &d);

	if (!err)
		err = watch_takeover(WATCH_ALL, &d);
	boot_harden();
	if (err < 0)
		return w->failed("watch", err, &d);
	w->events[0] = (struct pollfd){ w->uevents.fd, POLLIN, 0 };
	w->n_events = 1;
	w->again = true;
	boot_ready_open();
	start_all(w);
	boot_ready_await();
	for (;;) {
		await_change(w);
		/* maybe by another watcher, which has no lock yet */
		if (reap(w))
			poll(NULL, 0, LATER_MS);
		start_all(w);
	}
}

/* Without a watcher its device hangs in the next outage. */
static int judge_end(struct watch *w, pid_t pid, int status)
{
	const struct watch_child *c = find(w, pid, 0);
	struct nbd_diag d;
	char name[16];

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* SIGTERM: another watcher has taken over */
	if (!c || WTERMSIG(status) == SIGTERM)
		return 0;
	nbd_fmt(name, sizeof(name), "nbd%d", c->index);
	nbd_diag(&d, NBD_E_KERNEL, "its watcher was killed (signal %d)",
		 WTERMSIG(status));
	return w->failed(name, NBD_E_KERNEL, &d);
}

int watch_devices(struct watch *w, const int index[], unsigned n)
{
	int status = 0, s;
	pid_t pid;

	if (n == 1)
		return watch_one(w, index[0]);
	/* children whose parent is killed end with it */
	boot_harden();
	boot_ready_open();
	for (unsigned i = 0; i < n; i++)
		status |= start(w, index[i]);
	boot_ready_await();
	while ((pid = wait(&s)) > 0 || errno == EINTR)
		status |= pid > 0 ? judge_end(w, pid, s) : 0;
	return status;
}
