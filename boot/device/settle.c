/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first open of a device:
 *
 *	this process --> opener    nbdk_wait_ready(), may sleep in the kernel
 *	     |  |------> reviver   after 100 ms: replaces dead connections
 *	     '--> result, a signal, or the deadline: then disconnect
 */
#include "boot/device/settle.h"
#include "port/linux/nbdk.h"
#include "port/linux/process.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* ms for everything: twice the driver's default time-out for a request. */
#define SETTLE_MS 60000
/* ms that the open normally takes: after that, connections may be dead. */
#define USUAL_MS  100
/* ms for the opener to end when its device is disconnected. */
#define END_MS	  2000

struct opening {
	int index;
	uint64_t size;
};

static int do_open(void *data, struct nbd_diag *d)
{
	const struct opening *o = data;

	return nbdk_wait_ready(o->index, o->size, d);
}

static int do_revive(void *data, struct nbd_diag *d)
{
	(void)d;
	device_revive(((const struct opening *)data)->index);
	return NBD_OK;
}

/* Waits for the opener's result.  False: a signal came, or ms have passed. */
static bool await(const struct process *opener, int signals, int ms)
{
	struct pollfd p[2] = { { opener->fd, POLLIN, 0 },
			       { signals, POLLIN, 0 } };

	return poll(p, 2, ms) > 0 && p[0].revents;
}

static bool await_reviving(const struct process *opener, struct opening *o,
			   int signals)
{
	struct process reviver;
	bool done;

	if (await(opener, signals, USUAL_MS))
		return true;
	if (process_start(&reviver, do_revive, o, 0, NULL))
		return await(opener, signals, SETTLE_MS);
	done = await(opener, signals, SETTLE_MS);
	kill(reviver.pid, SIGKILL);
	process_finish(&reviver, NULL, 0, "", nbd_now_ms() + END_MS, NULL);
	return done;
}

static int open_it(struct opening *o, int signals, struct nbd_diag *d)
{
	struct process opener;
	int err = process_start(&opener, do_open, o, 0, d);
	bool done;

	if (err)
		return err;
	done = await_reviving(&opener, o, signals);
	/* the opener's I/O fails with this, so it can end */
	if (!done)
		nbdk_disconnect(o->index, NULL);
	err = process_finish(&opener, NULL, 0, "opening the device",
			     nbd_now_ms() + END_MS, d);
	if (done)
		return err;
	return nbd_diag(d, NBD_E_TIMEOUT,
			"nbd%d: the server took the connection, but its first "
			"blocks could not be read: it drops or ignores "
			"requests, or large packets are lost on the way (MTU)",
			o->index);
}

int device_settle(int index, uint64_t size, struct nbd_diag *d)
{
	struct opening o = { index, size };
	sigset_t ends, before;
	int signals, err;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, &before);
	signals = signalfd(-1, &ends, SFD_CLOEXEC);
	err = open_it(&o, signals, d);
	if (err && err != NBD_E_TIMEOUT)
		nbdk_disconnect(index, NULL);
	if (signals >= 0)
		close(signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}
