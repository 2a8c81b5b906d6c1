/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections from a local port of the caller's choice. */
#include "port/posix/sock.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* A port that is taken is no failure: connect() then chooses another. */
void sock_from_bind(const struct sock *s, int family, unsigned len)
{
	struct sockaddr_in6 from = { .sin6_family = (sa_family_t)family,
				     .sin6_port = htons(s->port) };
	int on = 1;

	/* the port is at the same place in both families */
	if (!s->port ||
	    setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)))
		return;
	(void)bind(s->fd, (struct sockaddr *)&from, len);
}

/*
 * A server that has a connection from this port answers the SYN with an ACK
 * that nobody here expects, and our RST ends that connection.  Any other server
 * sees a connection that is not completed.  The kernel refuses to connect where
 * a socket of this machine is connected already.
 */
static void clear(const struct sockaddr *to, unsigned len, unsigned port)
{
	int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
	struct sock s = { .port = (uint16_t)port,
			  .fd = socket(to->sa_family, type, 0) };

	if (s.fd < 0)
		return;
	sock_from_bind(&s, to->sa_family, len);
	(void)connect(s.fd, to, len);
	close(s.fd);
}

void sock_from_clear(const struct sock *s, const void *to, unsigned len)
{
	for (unsigned i = 1; s->port && i < SOCK_SISTERS; i++)
		clear(to, len, s->port ^ i);
}

bool sock_from_dropped(struct sock *s)
{
	bool had = s->port;

	s->port = 0;
	return had;
}
