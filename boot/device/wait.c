/* SPDX-License-Identifier: BSD-2-Clause */
/* One wait for a process that reads a device, a signal, and a reviver. */
#include "boot/device/settle.h"

#include <poll.h>

int device_settle_poll(const struct process *opener, int signals, int reviver,
		       int ms)
{
	struct pollfd p[3] = { { opener->fd, POLLIN, 0 },
			       { signals, POLLIN, 0 },
			       { reviver, POLLIN, 0 } };

	if (poll(p, 3, ms) <= 0)
		return NBD_E_TIMEOUT;
	return p[0].revents   ? 0
	       : p[1].revents ? NBD_E_INTERRUPTED
			      : NBD_E_AGAIN;
}
