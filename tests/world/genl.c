/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/genl.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int __wrap_socket(int domain, int type, int protocol);
int __wrap_bind(int fd, const void *sa, socklen_t len);
int __wrap_setsockopt(int fd, int level, int name, const void *v,
		      socklen_t len);

int world_genl_open(void)
{
	world.genl_opened = world.joined = 0;
	for (unsigned i = 0; i < WORLD_SOCKETS; i++)
		if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, world.genl[i]) < 0)
			return -1;
	return 0;
}

int world_genl_close(void)
{
	for (unsigned i = 0; i < WORLD_SOCKETS; i++) {
		if (!close(world.genl[i][0]) != (i >= world.genl_opened))
			world_fail("socket %u of %u stays open", i,
				   world.genl_opened);
		close(world.genl[i][1]);
	}
	return 0;
}

int __wrap_socket(int domain, int type, int protocol)
{
	if (domain != AF_NETLINK || protocol != NETLINK_GENERIC ||
	    !(type & SOCK_CLOEXEC))
		world_fail("socket(%d, %d, %d)", domain, type, protocol);
	if (world.genl_opened == WORLD_SOCKETS)
		world_fail("more than %d sockets", WORLD_SOCKETS);
	return world.genl[world.genl_opened++][0];
}

int __wrap_bind(int fd, const void *sa, socklen_t len)
{
	(void)fd, (void)sa, (void)len;
	return 0;
}

int __wrap_setsockopt(int fd, int level, int name, const void *v, socklen_t len)
{
	if (!world.genl_opened || fd != world.genl[world.genl_opened - 1][0])
		world_fail("an option of another socket, %d", fd);
	if (level != SOL_NETLINK || name != NETLINK_ADD_MEMBERSHIP)
		return 0;
	if (len != sizeof(world.joined))
		world_fail("a group of %u bytes is joined", len);
	memcpy(&world.joined, v, len);
	errno = world.join_error;
	return errno ? -1 : 0;
}
