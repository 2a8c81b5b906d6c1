/* SPDX-License-Identifier: BSD-2-Clause */
/* Stateless DHCPv6 (RFC 8415, 6.1) beside router advertisements. */
#include "boot/net/job6.h"

#include <string.h>

#include "boot/system/console.h"
#include "boot/net/joblease6.h"
#include "boot/net/ra.h"
#include "core/nbd_uri.h"
#include "port/linux/udp6.h"

/*
 * ms for what is of use but not needed: three messages, and about a second for
 * the last answer.  It runs while the kernel probes the address for duplicates.
 */
#define PATIENCE_MS 5000

const struct dhcp6_reply *net_job6_config(const struct job *j)
{
	return net_lease6_begun(&j->lease6) ? &j->lease6.lease.config
					    : &j->dhcp6.reply;
}

/* To resolve the name of the server, a DNS server is needed. */
static bool lacks_dns(const struct job *j, const struct net_plan *p)
{
	return p->name_server && !p->n_dns && !j->n_dns &&
	       (p->no_peer_dns || !j->dhcp6.reply.n_dns);
}

/* With DHCPv4 beside it, the root-path is expected from there. */
static bool lacks_path(const struct job *j, const struct net_plan *p)
{
	for (unsigned i = 0; i < p->n_ip; i++)
		if (p->ip[i].method == IP_DHCP)
			return false;
	return p->need_path && !j->dhcp6.answered;
}

/*
 * A router that sets neither flag has no DHCPv6 for us.  Some are set up wrong,
 * so ask all the same when the boot cannot go on otherwise.
 */
static bool wants(const struct job *j, const struct net_plan *p)
{
	return j->ra & NET_RA_DHCP6 ||
	       (j->addr.len && (lacks_dns(j, p) || lacks_path(j, p)));
}

bool net_job6_address(struct job *j, const struct iface_addr *a)
{
	bool v6 = a->a.len == 16;
	bool leased = net_joblease6_ours(j, a);
	/* one of DHCPv6 that an earlier try of the boot has left has 128 bits */
	bool formed = v6 && a->global && !leased && a->a.prefix < 128;

	if (v6 && !a->global && !a->tentative)
		j->local = a->a;
	if (v6 && !a->tentative && !j->asked) {
		j->asked = true;
		net_ra_solicit(j->l.index);
	}
	j->formed |= formed;
	return leased || (formed && j->ip->method == IP_AUTO6);
}

static bool start(struct job *j, uint64_t now)
{
	if (!net_job6_open(j))
		return false;
	net_dhcp6_start(&j->dhcp6, j->l.mac, net_job_seed(j->l.mac, now), now);
	return true;
}

/* A prefix came after all, or the address: what is still needed is asked for. */
static void end_lease(struct job *j)
{
	net_job_close(j);
	memset(&j->lease6, 0, sizeof(j->lease6));
}

void net_job6_work(struct job *j, const struct net_plan *p, uint64_t now)
{
	unsigned char buf[1500];
	struct dhcp6 *dhcp6 = &j->dhcp6;
	size_t len;

	if (net_joblease6_wants(j)) {
		net_joblease6_work(j, p, now);
		return;
	}
	if (net_lease6_begun(&j->lease6))
		end_lease(j);
	if (j->fd < 0 && (j->no_dhcp6 || dhcp6->answered || !j->local.len ||
			  !wants(j, p) || !start(j, now)))
		return;
	if (udp6_recv(j->fd, buf, sizeof(buf), &len) &&
	    net_dhcp6_take(dhcp6, buf, len)) {
		boot_note("%s: DHCPv6 reply", j->l.name);
		net_job_close(j);
		return;
	}
	if (now >= dhcp6->due) {
		len = net_dhcp6_send(dhcp6, buf, now);
		net_job6_send(j, buf, len);
		boot_note("%s: DHCPv6 message %u", j->l.name, dhcp6->sent);
	}
	j->due = dhcp6->due;
	if (now < dhcp6->started + PATIENCE_MS &&
	    j->due > dhcp6->started + PATIENCE_MS)
		j->due = dhcp6->started + PATIENCE_MS;
}

bool net_job6_waits(struct job *j, const struct net_plan *p, uint64_t now)
{
	if (net_lease6_begun(&j->lease6))
		return net_joblease6_waits(j, now);
	if (lacks_dns(j, p) || (lacks_path(j, p) && !j->no_dhcp6))
		return true;
	return j->ra & NET_RA_DHCP6 && j->fd >= 0 &&
	       now < j->dhcp6.started + PATIENCE_MS;
}

void net_job6_end(const struct job *j, const struct net_plan *p)
{
	/* after one message another interface was faster: that is no failure */
	if (net_lease6_begun(&j->lease6))
		return;
	if (j->fd >= 0 && j->dhcp6.sent > 1 && wants(j, p))
		boot_say("%s: no DHCPv6 server answered%s; going on with what "
			 "routers advertise",
			 j->l.name,
			 j->ra & NET_RA_DHCP6
				 ? ", but a router says that there is one"
				 : "");
}

void net_job6_state(const struct job *j, const struct net_plan *p,
		    struct net_state *s)
{
	const struct dhcp6_reply *r = net_job6_config(j);

	for (unsigned i = 0; i < r->n_dns && !p->no_peer_dns; i++)
		s->n_dns = nbd_ip_add(s->dns, s->n_dns, NET_DNS, &r->dns[i]);
	memcpy(s->domain, r->domain, sizeof(s->domain));
	/* many servers name a boot loader here */
	if (nbd_is_uri(r->url))
		memcpy(s->root_path, r->url, sizeof(s->root_path));
}
