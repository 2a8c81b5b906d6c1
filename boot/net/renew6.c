/* SPDX-License-Identifier: BSD-2-Clause */
/* Renews, confirms and releases a lease of DHCPv6. */
#include "boot/net/renew6.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/net/job6.h"
#include "port/linux/file.h"
#include "port/linux/udp6.h"

/* ms until the next try if the interface did not let us ask. */
#define RETRY_MS   60000
#define RELEASE_MS 2000

/*
 * Sends and receives until the lease is ours or lost, or the time is over.  The
 * machine works on meanwhile, so a long pause is not waited for here.
 */
static void talk(struct job *j, uint64_t end)
{
	struct pollfd p = { .fd = j->fd, .events = POLLIN };
	struct lease6 *lease6 = &j->lease6;
	unsigned char buf[1500];
	uint64_t now;
	size_t len;

	while (lease6->state != LEASE6_BOUND && lease6->state != LEASE6_LOST &&
	       (now = nbd_now_ms()) < end) {
		uint64_t next = lease6->due < end ? lease6->due : end;

		if (next <= now) {
			len = net_lease6_send(lease6, buf, now);
			if (len)
				net_job6_send(j, buf, len);
		} else if (poll(&p, 1, (int)(next - now)) > 0 &&
			   udp6_recv(j->fd, buf, sizeof(buf), &len)) {
			net_lease6_take(lease6, buf, len, nbd_now_ms());
		}
	}
}

uint64_t net_renew6_pause(const struct lease6 *lease6, bool failed,
			  uint64_t now)
{
	uint64_t ms =
		lease6->state == LEASE6_BOUND
			? net_renew_left(lease6->bound, lease6->lease.t1, now)
		: lease6->due > now ? lease6->due - now
				    : 0;

	return failed && !ms ? RETRY_MS : ms;
}

static int result(const struct job *j, struct nbd_diag *d)
{
	const struct lease6 *lease6 = &j->lease6;

	if (lease6->state == LEASE6_LOST)
		return nbd_diag(d, NBD_E_NO_DEVICE,
				"%s: the DHCPv6 server refuses to renew the "
				"lease",
				j->l.name);
	if (lease6->moved)
		return nbd_diag(d, NBD_E_UNREACHABLE,
				"%s: a DHCPv6 server says that the address "
				"does not belong to this network (NotOnLink)",
				j->l.name);
	if (lease6->state != LEASE6_BOUND && lease6->refused && !lease6->other)
		return nbd_diag(d, NBD_E_TIMEOUT,
				"%s: the DHCPv6 server does not renew the "
				"lease now (status %u of RFC 8415)",
				j->l.name, (unsigned)lease6->refused);
	if (lease6->state != LEASE6_BOUND)
		return nbd_diag(d, NBD_E_TIMEOUT,
				lease6->other
					? "%s: the DHCPv6 server answered with "
					  "another address, which is not used"
					: "%s: no DHCPv6 server answered",
				j->l.name);
	return NBD_OK;
}

int net_renew6_once(struct net_renewal *r, unsigned timeout_ms,
		    struct nbd_diag *d)
{
	struct job *j = &r->j;
	uint64_t now = nbd_now_ms();
	uint32_t seed = net_job_seed(j->l.mac, now);
	int rc = iface_refresh(&j->l, d);

	if (rc < 0)
		return rc;
	j->fd = udp6_open(j->l.index, j->local.ip, DHCP6_CLIENT, d);
	if (j->fd == NBD_E_IN_USE)
		nbd_diag(d, 0,
			 "another DHCPv6 client has the interface, and the "
			 "lease from now on");
	if (j->fd < 0)
		return j->fd;
	if (r->resumed &&
	    net_renew_left(j->lease6.bound, j->lease6.lease.t1, now))
		net_lease6_confirm(&j->lease6, seed, now);
	else if (j->lease6.state == LEASE6_BOUND || r->resumed)
		net_lease6_renewal(&j->lease6, seed, now);
	r->resumed = false;
	talk(j, now + timeout_ms);
	net_job_close(j);
	return result(j, d);
}

bool net_renew6_kept(struct net_kept *kept)
{
	struct nbd_diag d;
	int run = file_run(), rc = net_kept_read(run, kept, &d);

	if (run >= 0)
		close(run);
	return !rc && net_lease6_begun(&kept->lease6);
}

void net_renew6_release(const struct net_kept *kept)
{
	struct job j = { .lease6 = kept->lease6, .l.index = kept->index };
	const struct duid6 *duid = &kept->lease6.id.duid;
	/* the MAC of a DUID-LL; a file may have a shorter one */
	const uint8_t *mac = duid->p + (duid->len > 6 ? duid->len - 6 : 0);
	uint64_t now = nbd_now_ms();
	struct nbd_diag d;

	j.fd = udp6_open(kept->index, kept->local.ip, DHCP6_CLIENT, &d);
	/* another client has the lease, or the interface is down */
	if (j.fd < 0)
		return;
	net_lease6_release(&j.lease6, net_job_seed(mac, now), now);
	talk(&j, now + RELEASE_MS);
	net_job_close(&j);
}
