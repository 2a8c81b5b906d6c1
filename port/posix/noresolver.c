/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts by address only, for builds that leave the resolver out. */
#include "port/posix/sock.h"

#include <string.h>

int sock_resolve_host(const char *host, uint16_t port,
		      struct sock_addr addrs[SOCK_MAX_ADDRS],
		      struct nbd_diag *d)
{
	if (!strcmp(host, "localhost"))
		host = "127.0.0.1";
	if (sock_parse(host, port, addrs))
		return 1;
	return nbd_diag(d, NBD_E_USAGE,
			"%s is not an address, and this build has no resolver",
			host);
}

void sock_resolve_keep(void)
{
	sock_lacks_keep();
}

bool sock_resolve_fixed(const char *host)
{
	(void)host;
	return true;
}
