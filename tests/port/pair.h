/* SPDX-License-Identifier: BSD-2-Clause */
/* A socket pair: one end is ours, at the other a test plays the kernel. */
#ifndef TESTS_PORT_PAIR_H
#define TESTS_PORT_PAIR_H

#include "port/linux/netlink.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct nl_sock sock;
static int kernel;
static struct nbd_diag diag;

static inline int open_pair(void **state)
{
	int fd[2];

	(void)state;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fd) < 0)
		return -1;
	memset(&sock, 0, sizeof(sock));
	memset(&diag, 0, sizeof(diag));
	sock.fd = fd[0];
	kernel = fd[1];
	return 0;
}

static inline int close_pair(void **state)
{
	(void)state;
	close(sock.fd);
	close(kernel);
	return 0;
}

#endif
