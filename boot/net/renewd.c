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
#include "boot/net/renew6.h"
#include "port/linux/suspend.h"

/* ms: enough for four messages. */
#define ASK_MS	 8000
/* ms between tries at least, however little time is left: RFC 2131, 4.4.5. */
#define RETRY_MS 60000
/* ms: how often to look for a suspend where the kernel does not report it. */
#define CHECK_MS 30000
/* ms: the clocks that show one are read one after the other. */
#define NAP_MS	 1000

uint64_t net_renewd_pause(const struct dhcp *dhcp, bool failed, uint64_t now)
{
	const struct dhcp_lease *l = &dhcp->lease;
	uint64_t ms = net_renew_left(dhcp->bound, l->t1, now);

	if (!failed)
		return ms;
	ms = net_renew_left(dhcp->bound, l->t2, now);
	if (!ms)
		ms = net_renew_left(dhcp->bound, l->seconds, now);
	return ms / 2 < RETRY_MS ? RETRY_MS : ms / 2;
}

/*
 * Sleeps for ms.  True: it was cut short, as the machine was suspended since the
 * last time.
 */
static bool sleep_ms(struct net_renewal *r, uint64_t ms)
{
	struct pollfd p = { .fd = r->nap, .events = POLLIN };
	uint64_t now = nbd_now_ms(), end = now + ms, slept;
	unsigned most = r->nap < 0 ? CHECK_MS : INT32_MAX;

	for (;; now = nbd_now_ms()) {
		slept = suspend_ms();
		if (slept > r->slept + NAP_MS) {
			r->slept = slept;
			return true;
		}
		if (now >= end)
			return false;
		poll(&p, r->nap >= 0,
		     (int)(end - now > most ? most : end - now));
		suspend_read(r->nap);
	}
}

/*
 * Waits until the lease is to be renewed, or in doubt: while the machine was
 * suspended it may have ended, or the machine may have come to another network.
 */
static void await(struct net_renewal *r, bool failed)
{
	const struct lease6 *six = &r->j.lease6;
	uint64_t now = nbd_now_ms();
	uint64_t ms = net_lease6_begun(six)
			      ? net_renew6_pause(six, failed, now)
			      : net_renewd_pause(&r->j.dhcp, failed, now);

	/* the interface was not up yet to ask */
	if (r->resumed && ms > RETRY_MS)
		ms = RETRY_MS;
	r->resumed |= sleep_ms(r, ms);
}

int net_renewd_run(struct net_renewal *r, struct nbd_diag *d)
{
	int before, rc = net_renew_read(r, d);

	if (rc)
		return rc;
	r->nap = suspend_open();
	r->slept = suspend_ms();
	boot_log_to_kernel();
	boot_harden();
	/* its port; its interface before Linux 5.7; memory that is locked */
	boot_confine(1u << CAP_NET_BIND_SERVICE | 1u << CAP_NET_RAW |
		     1u << CAP_IPC_LOCK);
	boot_ready_tell();
	while (rc != NBD_E_IN_USE && rc != NBD_E_NO_DEVICE) {
		await(r, rc);
		before = rc;
		rc = net_renew_once(r, ASK_MS, true, d);
		if (!rc && net_renew_keep(r, d))
			boot_say("renew: %s", d->text);
		if (rc && rc != before)
			boot_say("renew: %s", d->text);
	}
	return rc == NBD_E_IN_USE ? NBD_OK : rc;
}
