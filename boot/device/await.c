/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks after the connections while another process reads the device:
 *
 *	this process --> opener    see settle.c
 *	     '---------> reviver   after 100 ms: finds or replaces dead ones
 *
 * To replace them is the last resort: the driver sends a request that was lost
 * with its connection again only after its time-out.  While nobody else uses
 * the device it is faster to disconnect it, which fails the request, and to
 * begin again.
 */
#include "boot/device/settle.h"

#include <signal.h>

/* ms that the open normally takes: after that, connections may be dead. */
#define USUAL_MS 100
/* ms for the reviver to die. */
#define END_MS	 2000

struct care {
	int index;
	bool once;
};

static int do_revive(void *data, struct nbd_diag *d)
{
	const struct care *c = data;

	(void)d;
	device_revive(c->index, c->once);
	return NBD_OK;
}

int device_settle_await(const struct process *opener, int signals, int index,
			bool last, int ms)
{
	struct care c = { index, !last };
	struct process reviver;
	int err = device_settle_poll(opener, signals, -1, USUAL_MS);

	if (err != NBD_E_TIMEOUT)
		return err;
	if (process_start(&reviver, do_revive, &c, 0, NULL))
		return device_settle_poll(opener, signals, -1, ms);
	err = device_settle_poll(opener, signals, reviver.fd, ms);
	kill(reviver.pid, SIGKILL);
	process_finish(&reviver, NULL, 0, "", nbd_now_ms() + END_MS, NULL);
	return err;
}
