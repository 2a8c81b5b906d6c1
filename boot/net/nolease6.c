/* SPDX-License-Identifier: BSD-2-Clause */
/* A build without addresses of DHCPv6. */
#include "boot/net/joblease6.h"
#include "boot/net/renew6.h"

const struct ip_methods boot_ip_methods = {
	.unsaid = IP_DHCP, /* the kernel's "any" */
	.bits = ~(1u << IP_DHCP6),
	.has = "dhcp, auto6 (in place of dhcp6: the address by router "
	       "advertisement, DNS by DHCPv6), link6, none and addresses",
};

bool net_joblease6_wants(const struct job *j)
{
	(void)j;
	return false;
}

void net_joblease6_work(struct job *j, const struct net_plan *p, uint64_t now)
{
	(void)j, (void)p, (void)now;
}

bool net_joblease6_ours(struct job *j, const struct iface_addr *a)
{
	(void)j, (void)a;
	return false;
}

bool net_joblease6_waits(struct job *j, uint64_t now)
{
	(void)j, (void)now;
	return false;
}

bool net_joblease6_explain(const struct job *j, struct nbd_diag *d)
{
	(void)j, (void)d;
	return false;
}

int net_renew6_once(struct net_renewal *r, unsigned timeout_ms,
		    struct nbd_diag *d)
{
	(void)r, (void)timeout_ms;
	return nbd_diag(d, NBD_E_NOT_FOUND, "no DHCPv6 in this build");
}

uint64_t net_renew6_pause(const struct lease6 *lease6, bool failed,
			  uint64_t now)
{
	(void)lease6, (void)failed, (void)now;
	return 0;
}
