/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of DHCPv6, from the question to the interface. */
#include "boot/net/joblease6.h"

#include <fcntl.h>
#include <net/if.h>
#include <string.h>

#include "boot/system/console.h"
#include "boot/net/job6.h"
#include "boot/net/ra.h"
#include "port/linux/file.h"
#include "port/linux/udp6.h"

#define UUID_FILE "/sys/class/dmi/id/product_uuid"
/* ms that an advertisement takes: routers wait up to 0.5 s, and may be lost. */
#define ROUTER_MS 3000

const struct ip_methods boot_ip_methods = {
	.unsaid = IP_DHCP, /* the kernel's "any" */
	.bits = ~0u,
	.has = "dhcp, dhcp6, auto6, link6, none and addresses",
};

bool net_joblease6_wants(const struct job *j)
{
	return j->ip->method == IP_DHCP6 || net_joblease6_has(j) ||
	       (j->ra & NET_RA_MANAGED && !j->formed);
}

static void identify(struct lease6_id *id, const struct job *j, bool by_mac)
{
	char uuid[64];
	int n = by_mac ? -1
		       : file_read(AT_FDCWD, UUID_FILE, uuid, sizeof(uuid));

	boot_lease6_id(id, j->l.mac);
	if (n > 0 && uuid[n - 1] == '\n')
		uuid[n - 1] = '\0';
	if (n > 0)
		boot_lease6_uuid(id, uuid);
}

static bool start(struct job *j, const struct net_plan *p, uint64_t now)
{
	struct lease6_id id;

	if (!j->local.len || j->no_dhcp6 || (j->fd < 0 && !net_job6_open(j)))
		return false;
	identify(&id, j, p->duid_ll);
	net_lease6_start(&j->lease6, &id, net_job_seed(j->l.mac, now), now);
	j->lease6.need_path = p->need_path;
	return true;
}

static void take_lease(struct job *j)
{
	boot_note("%s: DHCPv6 lease", j->l.name);
	j->twice = false;
	j->taken = true;
	if (iface_add_addr(j->l.index, &j->lease6.lease.addr, IFACE_FOREVER,
			   &j->why) < 0)
		j->state = JOB_FAILED;
}

static bool decline(struct job *j, uint64_t now)
{
	boot_say("%s: another machine has the address of the lease", j->l.name);
	j->twice = j->taken = false;
	net_lease6_decline(&j->lease6, now);
	return net_job6_open(j);
}

void net_joblease6_work(struct job *j, const struct net_plan *p, uint64_t now)
{
	unsigned char buf[1500];
	struct lease6 *lease6 = &j->lease6;
	bool runs = j->l.flags & IFF_RUNNING;
	size_t len;

	if (net_joblease6_has(j) && !j->twice)
		return;
	if (net_joblease6_has(j)
		    ? !decline(j, now)
		    : !net_lease6_begun(lease6) && !start(j, p, now))
		return;
	/* earlier messages may be lost: see lease() in job.c */
	if (runs && !j->ran && lease6->tries &&
	    lease6->state == LEASE6_SOLICITING)
		lease6->due = now;
	j->ran = runs;
	/* the rest comes at the next turn: a flood must not hold the clock */
	for (unsigned n = 0; n < 16 && udp6_recv(j->fd, buf, sizeof(buf), &len);
	     n++)
		net_lease6_take(lease6, buf, len, now);
	if (net_joblease6_has(j)) {
		net_job_close(j);
		take_lease(j);
		return;
	}
	if (now >= lease6->due) {
		len = net_lease6_send(lease6, buf, now);
		net_job6_send(j, buf, len);
		boot_note("%s: DHCPv6 message %u", j->l.name, lease6->tries);
	}
	j->due = lease6->due;
}

bool net_joblease6_ours(struct job *j, const struct iface_addr *a)
{
	bool ours = j->taken && net_joblease6_has(j) &&
		    nbd_ip_same(&a->a, &j->lease6.lease.addr);

	j->twice = j->twice || (ours && a->failed);
	return ours;
}

bool net_joblease6_waits(struct job *j, uint64_t now)
{
	if (!net_joblease6_has(j) || j->ra & NET_RA_SEEN)
		return false;
	if (!j->leased)
		j->leased = now;
	j->due = j->leased + ROUTER_MS;
	return now < j->due;
}

bool net_joblease6_explain(const struct job *j, struct nbd_diag *d)
{
	static const char *const why[] = {
		[LEASE6_UNSPEC] = "has an error (UnspecFail)",
		[LEASE6_NO_ADDRS] = "has no address for this machine "
				    "(NoAddrsAvail)",
		[LEASE6_NO_BINDING] = "knows no lease (NoBinding)",
		[LEASE6_NOT_ON_LINK] = "has no addresses of this network "
				       "(NotOnLink)",
		[LEASE6_MULTICAST] = "takes no messages to all (UseMulticast)",
	};
	const struct lease6 *lease6 = &j->lease6;

	if (!net_lease6_begun(lease6))
		return false;
	if (lease6->refused)
		nbd_diag(d, 0, "%s: the DHCPv6 server %s", j->l.name,
			 why[lease6->refused]);
	else
		nbd_diag(d, 0, "%s: no DHCPv6 server answered%s", j->l.name,
			 lease6->offered ? " the request, but one made an offer"
			 : j->ra & NET_RA_MANAGED
				 ? ", but a router leaves addresses to it "
				   "(flag M)"
				 : "");
	return true;
}
