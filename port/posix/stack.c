/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets as the network stack of dial(). */
#include "port/posix/sock.h"

#include <errno.h>
#include <poll.h>

static int resolve(struct nbd_stack *net, const struct nbd_uri *uri,
		   struct sock_addr addrs[SOCK_MAX_ADDRS], struct nbd_diag *d)
{
	(void)net;
	return sock_resolve(uri, addrs, d);
}

static int connect_to(struct nbd_stack *net, struct sock *s,
		      const struct sock_addr *a)
{
	(void)net;
	return sock_connect(s, a);
}

/* A signal is no error: the caller looks at its flag. */
static int wait(struct nbd_stack *net, struct nbd_event ev[], unsigned n,
		int ms)
{
	struct pollfd fds[CONFIG_PORT_MAX_CONNECTIONS];
	int rc;

	(void)net;
	for (unsigned i = 0; i < n; i++)
		fds[i] = (struct pollfd){
			ev[i].fd, ev[i].want & NBD_SEND ? POLLOUT : POLLIN, 0
		};
	rc = poll(fds, n, ms);
	for (unsigned i = 0; i < n; i++)
		ev[i].ready = fds[i].revents;
	return rc < 0 && errno != EINTR ? NBD_E_IO : 0;
}

struct nbd_stack sock_stack = { resolve, connect_to, sock_connected, wait,
				sock_clear };
