/* SPDX-License-Identifier: BSD-2-Clause */
/* Host names, by the C library: /etc/hosts and DNS. */
#include "port/posix/sock.h"

#include <netdb.h>
#include <string.h>

/* In the order of RFC 6724, as getaddrinfo() has it. */
static int take(const struct addrinfo *found, uint16_t port,
		struct sock_addr addrs[SOCK_MAX_ADDRS])
{
	int n = 0;

	for (; found && n < SOCK_MAX_ADDRS; found = found->ai_next) {
		struct sock_addr *a = &addrs[n];

		if (found->ai_addrlen > sizeof(a->u))
			continue;
		memset(a, 0, sizeof(*a));
		memcpy(&a->u, found->ai_addr, found->ai_addrlen);
		a->len = found->ai_addrlen;
		/* at the same place in both families */
		a->u.in.sin_port = htons(port);
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

int sock_resolve_host(const char *host, uint16_t port,
		      struct sock_addr addrs[SOCK_MAX_ADDRS],
		      struct nbd_diag *d)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	int err = getaddrinfo(host, NULL, &hints, &found), n;

	/* an initramfs has no /etc/hosts (RFC 6761, 6.3) */
	if (err && !strcmp(host, "localhost"))
		err = getaddrinfo("127.0.0.1", NULL, &hints, &found);
	if (err)
		return nbd_diag(d, NBD_E_RESOLVE, "resolve %s: %s", host,
				reason(err));
	n = take(found, port, addrs);
	freeaddrinfo(found);
	return n;
}
