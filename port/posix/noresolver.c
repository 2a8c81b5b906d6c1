/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts by address only, for builds that leave the resolver out. */
#include "port/posix/sock.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>

static bool parse_in6(const char *host, struct sockaddr_in6 *a)
{
	char text[64];
	const char *zone = strchr(host, '%');
	size_t len = zone ? (size_t)(zone - host) : strlen(host);

	if (len >= sizeof(text))
		return false;
	memcpy(text, host, len);
	text[len] = '\0';
	if (inet_pton(AF_INET6, text, &a->sin6_addr) != 1)
		return false;
	a->sin6_family = AF_INET6;
	if (zone)
		a->sin6_scope_id = if_nametoindex(zone + 1);
	return !zone || a->sin6_scope_id;
}

static bool parse(const char *host, uint16_t port, struct sock_addr *a)
{
	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET, host, &a->u.in.sin_addr) == 1) {
		a->u.in.sin_family = AF_INET;
		a->u.in.sin_port = htons(port);
		a->len = sizeof(a->u.in);
	} else if (parse_in6(host, &a->u.in6)) {
		a->u.in6.sin6_port = htons(port);
		a->len = sizeof(a->u.in6);
	}
	return a->len;
}

int sock_resolve_host(const char *host, uint16_t port,
		      struct sock_addr addrs[SOCK_MAX_ADDRS],
		      struct nbd_diag *d)
{
	if (!strcmp(host, "localhost"))
		host = "127.0.0.1";
	if (parse(host, port, addrs))
		return 1;
	return nbd_diag(d, NBD_E_USAGE,
			"%s is not an address, and this build has no resolver",
			host);
}
