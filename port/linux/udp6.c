/* SPDX-License-Identifier: BSD-2-Clause */
/* UDP sockets on link-local addresses (RFC 4007: the scope is the link). */
#include "port/linux/udp6.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in6 address(int index, const unsigned char ip[16],
				   unsigned port)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6,
				  .sin6_port = htons((uint16_t)port),
				  .sin6_scope_id = (uint32_t)index };

	memcpy(&a.sin6_addr, ip, sizeof(a.sin6_addr));
	return a;
}

int udp6_open(int index, const unsigned char ip[16], unsigned port,
	      struct nbd_diag *d)
{
	struct sockaddr_in6 a = address(index, ip, port);
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int rc;

	if (fd >= 0 && !bind(fd, (struct sockaddr *)&a, sizeof(a)))
		return fd;
	rc = errno == EADDRINUSE ? NBD_E_IN_USE : NBD_E_KERNEL;
	nbd_diag(d, rc, "UDP port %u of IPv6: %s", port, strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

void udp6_send(int fd, int index, const unsigned char to[16], unsigned port,
	       const void *data, size_t len)
{
	struct sockaddr_in6 a = address(index, to, port);

	sendto(fd, data, len, 0, (struct sockaddr *)&a, sizeof(a));
}

bool udp6_recv(int fd, void *buf, size_t cap, size_t *len)
{
	/* with MSG_TRUNC the result is the length of the datagram itself */
	ssize_t n = recv(fd, buf, cap, MSG_TRUNC);

	*len = (size_t)n;
	return n >= 0 && (size_t)n <= cap;
}
