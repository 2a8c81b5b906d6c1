/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Host names, by the C library: /etc/hosts and DNS.  Not by getaddrinfo(),
 * which allocates and looks up services: 9 KiB more in a static program.
 */
#include "port/posix/numeric.h"

#include <netdb.h>
#include <string.h>

static int take(const struct hostent *h, uint16_t port, struct sock_addr *a)
{
	*a = (struct sock_addr){ .len = 0 };
	a->u.any.sa_family = (sa_family_t)h->h_addrtype;
	if (h->h_addrtype == AF_INET6) {
		memcpy(&a->u.in6.sin6_addr, h->h_addr_list[0], 16);
		a->u.in6.sin6_port = htons(port);
		a->len = sizeof(a->u.in6);
	} else {
		memcpy(&a->u.in.sin_addr, h->h_addr_list[0], 4);
		a->u.in.sin_port = htons(port);
		a->len = sizeof(a->u.in);
	}
	return 1;
}

/* Appends the addresses of one family; the number of all so far. */
static int look_up(const char *host, int family, uint16_t port,
		   struct sock_addr addrs[], int n, int *why)
{
	struct hostent h, *found = NULL;
	char buf[4096];

	if (gethostbyname2_r(host, family, &h, buf, sizeof(buf), &found, why))
		return n;
	for (; found && found->h_addr_list[0] && n < SOCK_MAX_ADDRS;
	     found->h_addr_list++)
		n += take(found, port, &addrs[n]);
	return n;
}

int sock_resolve_host(const char *host, uint16_t port,
		      struct sock_addr addrs[SOCK_MAX_ADDRS],
		      struct nbd_diag *d)
{
	int why = 0, n;

	if (sock_numeric(host, port, addrs))
		return 1;
	n = look_up(host, AF_INET6, port, addrs, 0, &why);
	n = look_up(host, AF_INET, port, addrs, n, &why);
	if (n)
		return n;
	/* an initramfs has no /etc/hosts (RFC 6761, 6.3) */
	if (!strcmp(host, "localhost"))
		return sock_numeric("127.0.0.1", port, addrs);
	return nbd_diag(d, NBD_E_RESOLVE, "resolve %s: %s", host,
			why == TRY_AGAIN ? "no name server answered"
					 : "no such name");
}
