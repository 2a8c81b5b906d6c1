/* SPDX-License-Identifier: BSD-2-Clause */
/* A stack that knows no names. */
#include "port/lwip/lwip.h"

void lwnet_name_server_set(unsigned n, const ip_addr_t *ip)
{
	(void)n, (void)ip;
}

bool lwnet_name_server_next(ip_addr_t *to, unsigned *k)
{
	(void)to, (void)k;
	return false;
}
