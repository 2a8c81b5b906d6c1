/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses as text. */
#include "port/posix/sock.h"

#include <net/if.h>
#include <string.h>

#include "core/nbd_uri.h"

bool sock_parse(const char *host, uint16_t port, struct sock_addr *a)
{
	const char *zone = strchr(host, '%');

	a->port = port;
	a->zone = 0;
	if (zone) {
		long n = nbd_number(zone + 1, 1, INT32_MAX);

		a->zone = if_nametoindex(zone + 1);
		/* as other programs write it: RFC 4007, 11.2 */
		if (!a->zone && n > 0)
			a->zone = (uint32_t)n;
	}
	return nbd_ip_host(&a->host, host) && (!zone || a->zone);
}
