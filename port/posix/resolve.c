/* SPDX-License-Identifier: BSD-2-Clause */
/* Host names, by the C library: /etc/hosts and DNS. */
#include "port/posix/sock.h"

#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

/* In the order of RFC 6724, as getaddrinfo() has it. */
static int take(const struct addrinfo *found, uint16_t port,
		struct sock_addr addrs[SOCK_MAX_ADDRS])
{
	int n = 0;

	for (; found && n < SOCK_MAX_ADDRS; found = found->ai_next) {
		struct sock_addr *a = &addrs[n];

		const struct sockaddr_in *in = (const void *)found->ai_addr;
		const struct sockaddr_in6 *in6 = (const void *)in;
		bool v4 = found->ai_family == AF_INET;

		if (!v4 && found->ai_family != AF_INET6)
			continue;
		a->len = v4 ? 4 : 16;
		a->port = port;
		a->zone = v4 ? 0 : in6->sin6_scope_id;
		memcpy(a->ip,
		       v4 ? (const void *)&in->sin_addr : &in6->sin6_addr,
		       a->len);
		n++;
	}
	return n;
}

static const char *reason(int err)
{
	return err == EAI_AGAIN	   ? "no name server answered"
	       : err == EAI_NONAME ? "no such name"
				   : gai_strerror(err);
}

static int look_up(const char *host, int family, struct addrinfo **found)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
					.ai_family = family };

	return getaddrinfo(host, NULL, &hints, found);
}

/*
 * Is there a way to all IPv6 addresses?  This sends nothing.  Where the kernel
 * has no IPv6, socket() would run modprobe, which never ends if it is on a root
 * whose server is away.  Without /proc, as in the watcher's root, the answer is
 * no.
 */
static bool has_ipv6(void)
{
	const struct sockaddr_in6 global = { .sin6_family = AF_INET6,
					     .sin6_port = 1,
					     .sin6_addr = { { { 0x20 } } } };
	int fd = access("/proc/net/if_inet6", F_OK)
			 ? -1
			 : socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool has = fd >= 0 &&
		   !connect(fd, (const void *)&global, sizeof(global));

	if (fd >= 0)
		close(fd);
	return has;
}

int sock_resolve_host(const char *host, uint16_t port,
		      struct sock_addr addrs[SOCK_MAX_ADDRS],
		      struct nbd_diag *d)
{
	/*
	 * musl believes a server that knows no AAAA of a name and so refuses
	 * it, or says that there is no such name (RFC 4074, 4), and drops the
	 * A: after 10 s, if it is refused.
	 */
	static const int families[] = { AF_UNSPEC, AF_INET, AF_INET6 };
	unsigned i = has_ipv6() ? 0 : 1;
	struct addrinfo *found;
	int err = look_up(host, families[i], &found), n;

	for (i++; err && i < sizeof(families) / sizeof(*families); i++)
		if (!look_up(host, families[i], &found))
			err = 0;
	/* an initramfs has no /etc/hosts (RFC 6761, 6.3) */
	if (err && !strcmp(host, "localhost"))
		err = look_up("127.0.0.1", AF_INET, &found);
	if (err)
		return nbd_diag(d, NBD_E_RESOLVE, "resolve %s: %s", host,
				reason(err));
	n = take(found, port, addrs);
	freeaddrinfo(found);
	return n;
}
