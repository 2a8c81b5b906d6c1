/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots for live and dead connections. */
#include "boot/device/slots.h"
#include "boot/words/word.h"
#include "boot/device/device.h"
#include "port/linux/sockdiag.h"

#include <sys/socket.h>
#include <unistd.h>

/* What a device that outlives its server gets from the command line. */
const struct word device_slots_words[] = {
	WORD_RANGE("nbdboot.io-timeout", io_timeout, WORD_OURS, 1, 0),
	WORD_RANGE("nbdboot.slots", slots, WORD_OURS | WORD_ONCE, 1,
		   CONFIG_PORT_MAX_CONNECTIONS),
	WORD("nbdboot.swap", swap, WORD_YES, WORD_OURS), WORD_END
};

unsigned device_slots_choose(const struct backend *b,
			     const struct nbd_export *e)
{
	unsigned n = device_backend_slots(b);

	if (!(e->flags & NBD_FLAG_CAN_MULTI_CONN))
		return 1;
	return n < CONFIG_PORT_MAX_CONNECTIONS ? n
					       : CONFIG_PORT_MAX_CONNECTIONS;
}

/*
 * A UNIX socket that is shut down fails with EPIPE at once.  A TCP socket that
 * is half closed would take a request first, which then waits in vain.
 */
unsigned device_slots_fill(int fds[], unsigned n, unsigned slots)
{
	int pair[2];

	for (; n < slots; n++) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
			break;
		shutdown(pair[0], SHUT_RDWR);
		close(pair[1]);
		fds[n] = pair[0];
	}
	return n;
}

void device_slots_tag(const int fds[], unsigned n, int index)
{
	/* delete the number that `scale` set for an older nbdN */
	device_want(index, 0, NULL);
	/* ignore errors: without the privilege CONNECT fails anyway */
	for (unsigned i = 0; i < n; i++)
		(void)sockdiag_tag(fds[i], index);
}
