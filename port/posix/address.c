/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses as text. */
#include "port/posix/sock.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>

#include "core/nbd_uri.h"

static bool parse_in6(const char *host, struct sock_addr *a)
{
	char text[64];
	const char *zone = strchr(host, '%');
	size_t len = zone ? (size_t)(zone - host) : strlen(host);

	if (len >= sizeof(text))
		return false;
	memcpy(text, host, len);
	text[len] = '\0';
	a->len = 16;
	a->zone = 0;
	if (zone) {
		long n = nbd_number(zone + 1, 1, INT32_MAX);

		a->zone = if_nametoindex(zone + 1);
		/* as other programs write it: RFC 4007, 11.2 */
		if (!a->zone && n > 0)
			a->zone = (uint32_t)n;
	}
	return inet_pton(AF_INET6, text, a->ip) == 1 && (!zone || a->zone);
}

bool sock_parse(const char *host, uint16_t port, struct sock_addr *a)
{
	a->len = 4;
	a->port = port;
	return inet_pton(AF_INET, host, a->ip) == 1 || parse_in6(host, a);
}
