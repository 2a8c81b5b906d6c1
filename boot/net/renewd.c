/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that keeps the lease of the root's address.
 *
 *	read it --> harden --> ready --> sleep until T1 --> ask --+
 *	                                   ^    ^------- BOUND ---+
 *	                                   '--- half of the rest -' no answer
 *
 * It stays in memory across the switch of the root: after that it uses only the
 * network and the files of the lease under /run.  It ends when another DHCP
 * client has the interface, that is the UDP port, or when the server refuses.
 */
#include <linux/capability.h>
#include <poll.h>

#include "boot/system/confine.h"
#include "boot/system/console.h"
#include "boot/system/harden.h"
#include "boot/system/ready.h"
#include "boot/net/renew.h"

/* ms: enough for four messages. */
#define ASK_MS	 8000
/* ms between tries at least, however little time is left: RFC 2131, 4.4.5. */
#define RETRY_MS 60000

/* ms until the lease is s seconds old; 0: it is older. */
static uint64_t left(const struct dhcp *dhcp, uint32_t s, uint64_t now)
{
	uint64_t end = dhcp->bound + (uint64_t)s * 1000;

	return end > now ? end - now : 0;
}

uint64_t net_renewd_pause(const struct dhcp *dhcp, bool failed, uint64_t now)
{
	const struct dhcp_lease *l = &dhcp->lease;
	uint64_t ms = left(dhcp, l->t1, now);

	if (!failed)
		return ms;
	ms = left(dhcp, l->t2, now);
	if (!ms)
		ms = left(dhcp, l->seconds, now);
	return ms / 2 < RETRY_MS ? RETRY_MS : ms / 2;
}

static void sleep_ms(uint64_t ms)
{
	uint64_t end = nbd_now_ms() + ms, now;

	while ((now = nbd_now_ms()) < end)
		poll(NULL, 0,
		     end - now > INT32_MAX ? INT32_MAX : (int)(end - now));
}

int net_renewd_run(struct net_renewal *r, struct nbd_diag *d)
{
	int before, rc = net_renew_read(r, d);

	if (rc)
		return rc;
	boot_log_to_kernel();
	boot_harden();
	/* its port; its interface before Linux 5.7; memory that is locked */
	boot_confine(1u << CAP_NET_BIND_SERVICE | 1u << CAP_NET_RAW |
		     1u << CAP_IPC_LOCK);
	boot_ready_tell();
	while (rc != NBD_E_IN_USE && rc != NBD_E_NO_DEVICE) {
		sleep_ms(net_renewd_pause(&r->j.dhcp, rc, nbd_now_ms()));
		before = rc;
		rc = net_renew_once(r, ASK_MS, true, d);
		if (!rc && net_renew_keep(r, d))
			boot_say("renew: %s", d->text);
		if (rc && rc != before)
			boot_say("renew: %s", d->text);
	}
	return rc == NBD_E_IN_USE ? NBD_OK : rc;
}
