/* SPDX-License-Identifier: BSD-2-Clause */
/* Which interfaces the words of a plan (boot/words/plan.h) are about. */
#ifndef BOOT_NET_SELECT_H
#define BOOT_NET_SELECT_H

#include "boot/words/plan.h"
#include "port/linux/iface.h"

/*
 * Is device this one?  It is a name, also one that udev would give (see
 * iface_path.h), a MAC with dashes, or "" (any Ethernet).
 */
bool net_select_matches(const char *device, const struct iface *iface);

/* Does ip= give its interface a MAC? */
bool net_select_new_mac(const struct ip_config *ip);

/* Is ip= about it?  It may have the MAC of ip= by now, in place of its own. */
bool net_select_is_of(const struct ip_config *ip, const struct iface *iface);

/* The bond or bridge of which iface is to be a member, or NULL. */
const struct plan_master *net_select_master(const struct net_plan *p,
					    const struct iface *iface);

#endif
