/* SPDX-License-Identifier: BSD-2-Clause */
/* How an interface gets its address. */
#include "boot/net/job.h"

#include <net/if.h>
#include <string.h>

#include "boot/system/console.h"
#include "boot/net/job6.h"
#include "boot/net/joblease6.h"
#include "boot/net/select.h"
#include "port/linux/packet.h"

/* ---- routes ---- */

static void route(struct job *j, struct iface_route r)
{
	struct nbd_diag d;

	r.metric = j->metric;
	/* a machine with a /32 address reaches its gateway, too */
	r.onlink = r.gw.len == 4 && !nbd_ip_covers(&j->addr, r.gw.ip);
	if (iface_add_route(j->l.index, &r, &d) < 0)
		boot_say("%s: %s", j->l.name, d.text);
}

static void route_all(struct job *j, const struct nbd_ip *gw)
{
	struct iface_route r = { .dst = { .len = gw->len }, .gw = *gw };

	if (gw->len)
		route(j, r);
}

static void say_left(const struct job *j)
{
	const char *text;
	unsigned at = 0;

	while ((text = boot_dhcp_left(&j->dhcp.lease, &at)))
		boot_say("%s: left out of what DHCP says: %s", j->l.name, text);
	for (at = 0; (text = boot_dhcp6_left(net_job6_config(j), &at));)
		boot_say("%s: left out of what DHCPv6 says: %s", j->l.name,
			 text);
	if (j->names_left)
		boot_say("%s: left out of what routers say: domains (DNSSL): "
			 "malformed, or more than 255 bytes",
			 j->l.name);
}

static void lease_routes(struct job *j)
{
	const struct dhcp_lease *l = &j->dhcp.lease;
	struct dhcp_route c;
	unsigned at = 0;
	bool all = false;

	while (boot_dhcp_route(l, &at, &c)) {
		all = all || !c.to.prefix;
		route(j, (struct iface_route){ .dst = c.to, .gw = c.via });
	}
	/*
	 * RFC 3442: with classless routes the router option is ignored; but if
	 * some were left out, the default route may have been one of them.
	 */
	if (!l->route_bytes || (!all && l->left & DHCP_LEFT_ROUTES))
		route_all(j, &l->router);
}

/* ---- configuring ---- */

static bool by_router(const struct ip_config *ip)
{
	return ip->method == IP_AUTO6 || ip->method == IP_DHCP6;
}

static void apply(struct job *j, const struct net_plan *p)
{
	const struct ip_config *ip = j->ip;
	const struct dhcp_lease *l = &j->dhcp.lease;
	struct nbd_diag d;
	unsigned i;

	j->state = JOB_DONE;
	say_left(j);
	if (by_router(ip))
		net_job6_end(j, p);
	if (j->dhcp.state == DHCP_BOUND) {
		if (l->mtu && iface_set_mtu(j->l.index, l->mtu, &d) < 0)
			boot_say("%s: %s", j->l.name, d.text);
		if (iface_add_addr(j->l.index, &j->addr, IFACE_FOREVER,
				   &j->why) < 0)
			j->state = JOB_FAILED;
		lease_routes(j);
	}
	if (ip->client.len && ip->peer.len == ip->client.len &&
	    ip->client.prefix == nbd_ip_bits(&ip->client))
		route(j, (struct iface_route){ .dst = ip->peer });
	route_all(j, &ip->gateway);
	for (i = 0; i < p->n_route; i++) {
		const struct plan_route *r = &p->route[i];

		if (r->device[0]
			    ? net_select_matches(r->device, &j->l)
			    : !r->gw.len || nbd_ip_covers(&j->addr, r->gw.ip))
			route(j, (struct iface_route){ .dst = r->dst,
						       .gw = r->gw });
	}
}

void net_job_address(struct job *j, const struct iface_addr *a, bool adopt)
{
	bool v6 = a->a.len == 16, fits;

	switch (j->ip->method) {
	case IP_STATIC:
		fits = j->set && nbd_ip_same(&a->a, &j->ip->client);
		if (fits && a->failed) {
			j->state = JOB_FAILED;
			nbd_diag(&j->why, 0,
				 "%s: another machine has the address of ip=",
				 j->l.name);
		}
		break;
	case IP_DHCP:
		fits = adopt && !v6 && a->global;
		break;
	case IP_AUTO6:
	case IP_DHCP6:
		fits = net_job6_address(j, a);
		break;
	default:
		fits = v6 && !a->global;
	}
	if (fits && !a->tentative)
		j->addr = a->a;
}

/* ---- DHCP ---- */

static bool start(struct job *j, const struct net_plan *p, uint64_t now)
{
	j->fd = packet_open(j->l.index, DHCP_CLIENT, &j->why);
	if (j->fd < 0)
		j->state = JOB_FAILED;
	net_dhcp_start(&j->dhcp, j->l.mac, j->ip->host,
		       net_job_seed(j->l.mac, now), now);
	j->dhcp.need_path = p->need_path;
	j->dhcp.mtu = j->ip->mtu ? j->ip->mtu : j->l.mtu;
	return j->fd >= 0;
}

static void lease(struct job *j, const struct net_plan *plan, uint64_t now)
{
	bool runs = j->l.flags & IFF_RUNNING;
	unsigned char buf[2048], *p;
	size_t len;

	if (j->fd < 0 && !start(j, plan, now))
		return;
	/*
	 * With a carrier, packets may still be dropped by the kernel or by the
	 * port at the other end.  Waiting for more than a carrier would cost up
	 * to a second where nothing is wrong; so send, and send again when the
	 * kernel reports that the link runs.
	 */
	if (runs && !j->ran)
		net_dhcp_again(&j->dhcp, now);
	j->ran = runs;
	p = packet_recv(j->fd, DHCP_CLIENT, buf, sizeof(buf), &len);
	if (p)
		net_dhcp_take(&j->dhcp, p, len, now);
	if (j->dhcp.state == DHCP_BOUND) {
		j->addr = j->dhcp.lease.addr;
		return;
	}
	if (now >= j->dhcp.due) {
		len = net_dhcp_send(&j->dhcp, buf + UDP4_HEAD, now);
		udp4_head(buf, len, DHCP_CLIENT, DHCP_SERVER);
		packet_send(j->fd, j->l.index, buf, len);
		boot_note("%s: DHCP message %u", j->l.name, j->dhcp.tries);
	}
	j->due = j->dhcp.due;
}

void net_job_work(struct job *j, const struct net_plan *p, uint64_t now)
{
	const struct ip_config *ip = j->ip;

	/* when the link comes back, earlier messages may be lost */
	if (!j->l.carrier)
		j->ran = false;
	j->due = UINT64_MAX;
	if (j->state != JOB_WAITING || !j->l.carrier)
		return;
	if (ip->method == IP_STATIC && !j->set) {
		j->set = true;
		if (iface_add_addr(j->l.index, &ip->client, IFACE_FOREVER,
				   &j->why) < 0)
			j->state = JOB_FAILED;
		else if (ip->client.len == 4)
			j->addr = ip->client;
	}
	if (ip->method == IP_DHCP && !j->addr.len)
		lease(j, p, now);
	if (by_router(ip))
		net_job6_work(j, p, now);
	if (ip->method != IP_LINK && !j->addr.len)
		return;
	if (!by_router(ip) || !net_job6_waits(j, p, now))
		apply(j, p);
}

void net_job_end(struct job *j, const struct net_plan *p)
{
	if (j->state == JOB_WAITING && j->addr.len)
		apply(j, p);
}

/* ---- results ---- */

static void add_dns(struct net_state *s, const struct nbd_ip dns[], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		s->n_dns = nbd_ip_add(s->dns, s->n_dns, NET_DNS, &dns[i]);
}

static void lease_state(const struct dhcp_lease *l, const struct net_plan *p,
			struct net_state *s)
{
	struct nbd_out o = { .buf = s->boot_server,
			     .cap = sizeof(s->boot_server) - 1 };
	struct dhcp_route r;
	unsigned at = 0;

	s->addr = l->addr;
	s->dhcp = true;
	s->ends = l->seconds != UINT32_MAX;
	/* as lease_routes() */
	if (!l->route_bytes || l->left & DHCP_LEFT_ROUTES)
		s->gateway = l->router;
	while (boot_dhcp_route(l, &at, &r))
		if (!r.to.prefix)
			s->gateway = r.via;
	if (!p->no_peer_dns)
		add_dns(s, l->dns, l->n_dns);
	if (!s->host[0]) {
		memcpy(s->host, l->host, sizeof(s->host));
		s->cut = l->cut;
	}
	if (l->domain[0])
		memcpy(s->domain, l->domain, sizeof(s->domain));
	memcpy(s->root_path, l->root_path, sizeof(s->root_path));
	s->server = l->next;
	nbd_put_ip(&o, s->server.ip, 4);
	s->boot_server[o.len] = '\0';
}

void net_job_state(const struct job *j, const struct net_plan *p,
		   struct net_state *s)
{
	memset(s, 0, sizeof(*s));
	s->up = true;
	s->index = j->l.index;
	memcpy(s->name, j->l.name, sizeof(s->name));
	memcpy(s->mac, j->l.mac, sizeof(s->mac));
	memcpy(s->host, j->ip->host, sizeof(s->host));
	s->cut = j->ip->cut;
	s->addr = j->addr;
	s->gateway = j->ip->gateway;
	s->fixed = j->ip->client.len;
	nbd_fmt(s->kind, sizeof(s->kind), "%s", boot_plan_kind(p, s->name));
	add_dns(s, p->dns, p->n_dns);
	add_dns(s, j->ip->dns, IP_DNS);
	/* RFC 8106, 5.3.1: those of DHCP come first */
	net_job6_state(j, p, s);
	if (j->dhcp.state == DHCP_BOUND)
		lease_state(&j->dhcp.lease, p, s);
	add_dns(s, j->dns, j->n_dns);
	if (!s->domain[0])
		memcpy(s->domain, j->domain, sizeof(s->domain));
	if (net_joblease6_has(j)) {
		s->lease6 = &j->lease6;
		s->local = j->local;
		s->ends = j->lease6.lease.valid != UINT32_MAX;
	}
}
