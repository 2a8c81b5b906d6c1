/* SPDX-License-Identifier: BSD-2-Clause */
/* The shutdown of a build without addresses of DHCPv6. */
#include "boot/net/renew6.h"

bool net_renew6_kept(struct net_kept *kept)
{
	(void)kept;
	return false;
}

void net_renew6_release(const struct net_kept *kept)
{
	(void)kept;
}
