/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/netlink.h"

#include "port/linux/netlink.h"

#include <sys/socket.h>

int __wrap_nl_open(struct nl_sock *s, int protocol, unsigned groups,
		   struct nbd_diag *d);
void __wrap_nl_close(struct nl_sock *s);
int __wrap_nl_hear(struct nl_sock *s, int flags);

int __wrap_nl_open(struct nl_sock *s, int protocol, unsigned groups,
		   struct nbd_diag *d)
{
	if (world.nl_error)
		return nbd_diag(d, world.nl_error, "no socket");
	world.nl_opened++;
	world.nl_protocol = protocol;
	world.nl_groups = groups;
	s->fd = WORLD_NETLINK;
	return 0;
}

void __wrap_nl_close(struct nl_sock *s)
{
	if (s->fd != WORLD_NETLINK)
		world_fail("nl_close() of %d", s->fd);
	s->fd = -1;
}

int __wrap_nl_hear(struct nl_sock *s, int flags)
{
	if (s->fd != WORLD_NETLINK || flags != MSG_DONTWAIT || !world.hear)
		world_fail("nl_hear() of %d with the flags 0x%x", s->fd, flags);
	return world.hear(s);
}
