/* SPDX-License-Identifier: BSD-2-Clause */
/* When a lease that ended is asked for anew, by DHCPv4 and DHCPv6 alike. */
#ifndef BOOT_NET_GRACE_H
#define BOOT_NET_GRACE_H

/*
 * s after its end in which the server may still renew it: some leases are that
 * short.  Later a server may have forgotten it.
 */
#define NET_GRACE_S 120u

#endif
