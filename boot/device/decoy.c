/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets that no request can be sent to. */
#include "boot/device/decoy.h"

#include <sys/socket.h>

int device_decoy(int fds[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return -1;
	/* of a connected pair, this cannot fail */
	shutdown(fds[0], SHUT_WR);
	return 0;
}
