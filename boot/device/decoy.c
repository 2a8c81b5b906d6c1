/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets that no request can be sent to. */
#include "boot/device/decoy.h"
#include "port/port.h"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* ms for a reader to begin, and between looks. */
#define BEGIN_MS 5000
#define LOOK_MS	 5

int device_decoy(int fds[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return -1;
	/* of a connected pair, these cannot fail */
	shutdown(fds[0], SHUT_WR);
	(void)!write(fds[1], "", 1);
	return 0;
}

int device_decoy_await(const int fds[2])
{
	uint64_t end = nbd_now_ms() + BEGIN_MS;
	int left = 0;

	while (!ioctl(fds[0], SIOCINQ, &left) && left) {
		if (nbd_now_ms() >= end)
			return NBD_E_AGAIN;
		poll(NULL, 0, LOOK_MS);
	}
	return 0;
}

void device_decoy_close(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}
