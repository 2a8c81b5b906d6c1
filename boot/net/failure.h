/* SPDX-License-Identifier: BSD-2-Clause */
/* Why an ip= has no address when the time is over. */
#ifndef BOOT_NET_FAILURE_H
#define BOOT_NET_FAILURE_H

#include "boot/net/net.h"

/* j is the job of ip that came furthest, or NULL.  Writes the reason to d. */
void net_explain(const struct net *net, const struct ip_config *ip,
		 const struct job *j, struct nbd_diag *d);

#endif
