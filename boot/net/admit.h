/* SPDX-License-Identifier: BSD-2-Clause */
/* Does the switch let a job send? */
#ifndef BOOT_NET_ADMIT_H
#define BOOT_NET_ADMIT_H

#include "boot/net/net.h"

#ifdef CONFIG_BOOT_LOGIN

/*
 * False before the login of the job's port; sets j->due to when that is given
 * up.  A job whose login failed becomes JOB_FAILED.  Begins the login of a port
 * that has a link.
 */
bool net_admitted(struct net *net, struct job *j, uint64_t now);

#else

static inline bool net_admitted(struct net *net, struct job *j, uint64_t now)
{
	(void)net, (void)j, (void)now;
	return true;
}

#endif
#endif
