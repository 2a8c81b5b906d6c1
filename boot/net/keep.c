/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot renew: the process that keeps the lease of the root's address.
 *
 *	read it --> harden --> ready --> sleep until T1 --> ask --+
 *	                                   ^    ^------- BOUND ---+
 *	                                   '--- half of the rest -' no answer
 *
 * It lives on in memory when the root is switched: all that it touches then
 * is the network, and the files of the lease under /run.  It ends when another
 * DHCP client has the interface, that is the UDP port, and when it is refused.
 */
#include <poll.h>

#include "boot/cli/cli.h"
#include "boot/init/console.h"
#include "boot/net/handover.h"
#include "boot/net/renew.h"
#include "boot/watch/watch.h"

/* ms to ask for: four times. */
#define ASK_MS	 8000
/* RFC 2131, 4.4.5: not sooner, however little is left. */
#define LEAST_MS 60000

/* ms from when the lease began, with s from its start: what is left. */
static uint64_t left(const struct dhcp *dhcp, uint32_t s, uint64_t now)
{
	uint64_t end = dhcp->bound + (uint64_t)s * 1000;

	return end > now ? end - now : 0;
}

uint64_t renew_pause(const struct dhcp *dhcp, bool failed, uint64_t now)
{
	const struct dhcp_lease *l = &dhcp->lease;
	uint64_t ms = left(dhcp, l->t1, now);

	if (!failed)
		return ms;
	ms = left(dhcp, l->t2, now);
	if (!ms)
		ms = left(dhcp, l->seconds, now);
	return ms / 2 < LEAST_MS ? LEAST_MS : ms / 2;
}

static void sleep_ms(uint64_t ms)
{
	uint64_t end = nbd_now_ms() + ms, now;

	while ((now = nbd_now_ms()) < end)
		poll(NULL, 0,
		     end - now > INT32_MAX ? INT32_MAX : (int)(end - now));
}

/*
 * The address stays, so a lease that has ended is asked for all the same.
 * NBD_E_NO_DEVICE: the server has refused.
 */
static int ask(struct dhcp *dhcp, struct nbd_diag *d)
{
	uint64_t now = nbd_now_ms();
	int rc;

	if (!left(dhcp, dhcp->lease.seconds, now))
		dhcp->bound = now - (uint64_t)dhcp->lease.t2 * 1000;
	rc = renew_once(ASK_MS, true, d);
	if (rc == NBD_E_IN_USE)
		nbd_diag(d, 0,
			 "another DHCP client has the interface, and the "
			 "lease from now on");
	return rc == NBD_E_NO_DEVICE &&
			       !left(dhcp, dhcp->lease.seconds, nbd_now_ms())
		       ? NBD_E_TIMEOUT
		       : rc;
}

int cmd_renew(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 0 } };
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	static struct nbd_diag d;
	struct dhcp *dhcp;
	int rc = NBD_OK, before;

	small_pages();
	if (cli_next(&a, options) < 0 || !cli_operands(&a, 0, 0))
		return CLI_USAGE;
	rc = renew_read(&dhcp, &d);
	if (rc)
		return cli_fail(HANDOVER_LEASE, rc, &d);
	log_to_kernel();
	harden();
	ready_tell();
	while (rc != NBD_E_IN_USE && rc != NBD_E_NO_DEVICE) {
		sleep_ms(renew_pause(dhcp, rc, nbd_now_ms()));
		before = rc;
		rc = ask(dhcp, &d);
		if (!rc && renew_keep(&d))
			say("renew: %s", d.text);
		if (rc && rc != before)
			say("renew: %s", d.text);
	}
	return rc == NBD_E_IN_USE ? CLI_OK : CLI_FAILED;
}
