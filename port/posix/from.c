/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections from a local port of the caller's choice. */
#include "port/posix/sock.h"

#include <netinet/in.h>
#include <sys/socket.h>

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

bool sock_from_dropped(struct sock *s)
{
	bool had = s->port;

	s->port = 0;
	return had;
}
