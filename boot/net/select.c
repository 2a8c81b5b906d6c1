/* SPDX-License-Identifier: BSD-2-Clause */
/* The interfaces that the network's words are about. */
#include "boot/net/select.h"

#include <string.h>

#include "port/linux/iface_path.h"

bool net_select_matches(const char *device, const struct iface *iface)
{
	unsigned char mac[6];

	if (!*device)
		return iface->ether && !iface->loopback;
	if (boot_ip_mac(device, mac))
		return !memcmp(mac, iface->mac, sizeof(mac));
	return !strcmp(device, iface->name) || iface_path_is(iface, device);
}

bool net_select_new_mac(const struct ip_config *ip)
{
	static const unsigned char none[6];

	return memcmp(ip->mac, none, sizeof(none)) != 0;
}

bool net_select_is_of(const struct ip_config *ip, const struct iface *iface)
{
	unsigned char own[6];

	return net_select_matches(ip->device, iface) ||
	       (net_select_new_mac(ip) && boot_ip_mac(ip->device, own) &&
		!memcmp(ip->mac, iface->mac, sizeof(own)));
}

const struct plan_master *net_select_master(const struct net_plan *p,
					    const struct iface *iface)
{
	const struct plan_master *m = p->master;
	const char *list;
	char device[18];

	for (; m < p->master + p->n_master; m++)
		for (list = m->members; list;)
			if (boot_plan_device(list, device, &list) &&
			    strcmp(m->name, iface->name) != 0 &&
			    net_select_matches(device, iface))
				return m;
	return NULL;
}
