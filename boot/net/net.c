/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network, all interfaces at once.  A job is one ip= on one interface:
 *
 *	interface appears --> up --> carrier --> address, by any method --> DONE
 *
 * Each step is taken when the kernel or the network reports that the one before
 * is done.  An ip= is settled when the first of its jobs is done: if it names
 * no interface, the boot continues with the first one that gets an address.
 */
#include "boot/net/net.h"
#include "core/nbd_uri.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/system/times.h"
#include "boot/net/admit.h"
#include "boot/net/handoff.h"
#include "boot/net/failure.h"
#include "boot/net/job.h"
#include "boot/net/prepare.h"
#include "boot/net/ra.h"
#include "boot/net/select.h"
#include "port/linux/eapol.h"
#include "port/linux/file.h"
#include "port/linux/module.h"
#include "port/linux/netlink.h"

/* ms: longer than a switch takes to negotiate a speed. */
#define LINK_MS 15000
/* ms from the first link on: enough for five DHCP messages. */
#define TRY_MS	32000
#define EVENTS                                                   \
	(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | \
	 RTMGRP_IPV6_IFINFO | 1u << (RTNLGRP_ND_USEROPT - 1))

int net_configure(struct net *net, const struct cmdline *c, const char *host,
		  struct nbd_diag *d)
{
	bool known = host && *host;
	int rc = boot_plan_parse(&net->plan, c->line, known ? host : NULL, d);

	net->plan.need_path = host && !known;
	net->no_login = c->no_login;
	return rc;
}

bool net_any_link(const struct net *net)
{
	/* an interface is renamed, or joins a bond, only while it is down */
	return !net->plan.ip[0].device[0] && !net->plan.n_name &&
	       !net->plan.n_master && net->plan.ip[0].method != IP_OFF;
}

/* Is there an ip= with one of these methods, 1 << enum ip_method? */
static bool has_method(const struct net *net, unsigned methods)
{
	for (unsigned i = 0; i < net->plan.n_ip; i++)
		if (methods >> net->plan.ip[i].method & 1)
			return true;
	return false;
}

/* ---- interfaces ---- */

static struct job *job_of(struct net *net, const struct ip_config *ip,
			  const struct iface *iface)
{
	struct job *j = net->job;
	struct nbd_diag d;

	for (; j < net->job + net->n; j++)
		if (j->ip == ip && j->l.index == iface->index)
			return j;
	if (net->n == NET_JOBS)
		return NULL;
	net->n++;
	memset(j, 0, sizeof(*j));
	j->ip = ip;
	j->fd = -1;
	j->metric = (unsigned)(ip - net->plan.ip);
	/* an interface that is up may take none, not even its own */
	if (net_select_new_mac(ip) && memcmp(ip->mac, iface->mac, 6) != 0)
		net_report(iface_set_mac(iface->index, ip->mac, &d), &d);
	if (ip->mtu)
		net_report(iface_set_mtu(iface->index, ip->mtu, &d), &d);
	return j;
}

static void see_link(void *ctx, const struct iface *iface)
{
	struct net *net = ctx;
	struct nbd_diag d;
	struct job *j;
	unsigned i;

	if (net->listens && iface->ether && !iface->loopback)
		eapol_listen(net->eapol, iface->index);
	if (net_prepare(net, iface))
		return;
	for (i = 0; i < net->plan.n_ip; i++) {
		const struct ip_config *ip = &net->plan.ip[i];

		if (ip->method == IP_OFF || !net_select_is_of(ip, iface))
			continue;
		j = job_of(net, ip, iface);
		if (!j)
			continue;
		j->l = *iface;
		if (net_select_new_mac(ip))
			memcpy(j->l.mac, ip->mac, sizeof(ip->mac));
		if (!iface->up)
			net_report(iface_up(iface->index, &d), &d);
	}
}

static void see_addr(void *ctx, const struct iface_addr *a)
{
	struct net *net = ctx;
	struct job *j;

	for (j = net->job; j < net->job + net->n; j++)
		if (j->l.index == a->index)
			net_job_address(j, a,
					net->plan.implicit && !net->state.up);
}

static void see_flags(void *ctx, int index, unsigned flags)
{
	struct net *net = ctx;
	struct job *j;

	for (j = net->job; j < net->job + net->n; j++)
		if (j->l.index == index)
			j->ra = flags;
}

/* Lists what the kernel knows by now. */
static int see_all(struct net *net, struct nbd_diag *d)
{
	int rc = iface_each(see_link, net, d);

	if (!rc)
		rc = iface_each_addr(see_addr, net, d);
	if (!rc && has_method(net, 1u << IP_AUTO6 | 1u << IP_DHCP6))
		rc = net_ra_each(see_flags, net, d);
	return rc;
}

/* ---- events ---- */

static void take_advert(struct job *j, const struct nl_reply *r)
{
	int index = j->l.index;

	j->n_dns =
		net_ra_dns(r->data, r->len, index, j->dns, j->n_dns, NET_DNS);
	if (!net_ra_domains(r->data, r->len, index, j->domain))
		j->names_left = true;
}

/*
 * True if the kernel has sent any events.  Only name servers and domains are
 * taken from them; for the rest the caller lists interfaces and addresses
 * again.
 */
static bool read_events(struct net *net)
{
	struct nl_reply r;
	struct job *j;
	bool any = false;
	int n;

	while ((n = nl_hear(&net->events, MSG_DONTWAIT)) >= 0) {
		struct nl_walk w = { net->events.buf, (size_t)n };

		any = true;
		while (nl_next_msg(&w, &r))
			for (j = net->job; j < net->job + net->n &&
					   r.type == RTM_NEWNDUSEROPT;
			     j++)
				take_advert(j, &r);
	}
	return any;
}

static bool required(const struct net *net, const struct ip_config *ip)
{
	return ip->method != IP_OFF &&
	       (!net->plan.bootdev || !strcmp(ip->device, net->plan.device));
}

/* The job of an ip= that is done, or else the one that came furthest. */
static const struct job *best(const struct net *net, const struct ip_config *ip)
{
	const struct job *j, *b = NULL;

	for (j = net->job; j < net->job + net->n; j++)
		if (j->ip == ip &&
		    (!b || j->state > b->state ||
		     (j->state == b->state && j->l.carrier && !b->l.carrier)))
			b = j;
	return b;
}

static bool settled(const struct net *net)
{
	const struct ip_config *ip = net->plan.ip;

	for (; ip < net->plan.ip + net->plan.n_ip; ip++) {
		const struct job *j = best(net, ip);

		if (required(net, ip) &&
		    (!j || j->state == JOB_WAITING ||
		     (j->state == JOB_FAILED && !*ip->device)))
			return false;
	}
	return true;
}

/* Waits for an event; false: the time is over. */
static bool await(const struct net *net, uint64_t now, uint64_t end)
{
	struct pollfd p[NET_JOBS + 2] = { { .fd = net->events.fd,
					    .events = POLLIN } };
	int login = net_login_fd(&net->login);
	unsigned i;

	if (now >= end)
		return false;
	for (i = 0; i < net->n; i++) {
		const struct job *j = &net->job[i];
		/* nobody reads the socket of a job that is done */
		bool asks = j->state == JOB_WAITING && j->l.carrier;

		p[i + 1].fd = asks ? j->fd : -1;
		p[i + 1].events = POLLIN;
		if (asks && j->due < end)
			end = j->due;
	}
	p[net->n + 1] = (struct pollfd){ .fd = login, .events = POLLIN };
	poll(p, net->n + 1 + (login >= 0), end > now ? (int)(end - now) : 0);
	return true;
}

/* Has another interface the static address?  Each with a link could take it. */
static bool is_taken(const struct net *net, const struct job *j)
{
	const struct job *o = net->job;

	while (o < net->job + net->n &&
	       (o == j || o->ip != j->ip || !o->set || o->state == JOB_FAILED))
		o++;
	return o < net->job + net->n;
}

/* Takes the steps of a job, and notes how long link and lease took. */
static void work(struct net *net, struct job *j, uint64_t now)
{
	enum net_job_state before = j->state;
	char name[24];

	if (!is_taken(net, j) && net_admitted(net, j, now))
		net_job_work(j, &net->plan, now);
	if (!j->up)
		j->up = now;
	if (j->l.carrier && !j->linked) {
		j->linked = now;
		nbd_fmt(name, sizeof(name), "link %s", j->l.name);
		boot_times_mark(name, j->up);
	}
	if (before == JOB_WAITING && j->state == JOB_DONE) {
		nbd_fmt(name, sizeof(name), "lease %s", j->l.name);
		boot_times_mark(name, j->linked ? j->linked : j->up);
	}
}

static int run(struct net *net, struct nbd_diag *d)
{
	uint64_t now = nbd_now_ms(), end = now + LINK_MS, due;
	bool linked = false, look = true, logs_in = false;
	struct job *j;
	int rc = NBD_OK;

	for (;;) {
		if (look)
			rc = see_all(net, d);
		now = nbd_now_ms();
		for (j = net->job; j < net->job + net->n; j++) {
			work(net, j, now);
			if (j->l.carrier && !linked) {
				linked = true;
				end = now + TRY_MS;
			}
		}
		/* the time for an address begins behind the login */
		due = net_login_due(&net->login);
		if (due || logs_in)
			end = (due ? due : now) + TRY_MS;
		logs_in = due;
		if (rc || settled(net) || !await(net, now, end))
			break;
		look = read_events(net);
		net_login_read(&net->login, nbd_now_ms());
	}
	for (j = net->job; j < net->job + net->n; j++)
		net_job_end(j, &net->plan);
	net->n_heard = net->listens
			       ? eapol_heard(net->eapol, net->heard, NET_JOBS)
			       : 0;
	return rc;
}

/* ---- results ---- */

/* Does the interface have an address now, or carry another one? */
static bool is_used(const struct net *net, const struct iface *iface)
{
	const struct plan_vlan *v = net->plan.vlan;
	const struct job *j;

	for (j = net->job; j < net->job + net->n; j++)
		if (j->l.index == iface->index && j->state == JOB_DONE)
			return true;
	for (; v < net->plan.vlan + net->plan.n_vlan; v++)
		if (net_select_matches(v->device, iface))
			return true;
	return net_select_master(&net->plan, iface);
}

/*
 * udev cannot rename an interface that is up, and networkd would wait for the
 * new name.
 */
static void take_unused_down(struct net *net)
{
	const struct job *j;
	struct nbd_diag d;

	for (j = net->job; j < net->job + net->n; j++) {
		if (is_used(net, &j->l))
			continue;
		net_login_drop(&net->login, j->l.name);
		if (iface_down(j->l.index, &d) < 0)
			boot_say("%s stays up, so udev cannot rename it: %s",
				 j->l.name, d.text);
	}
}

/* Room for the names of all interfaces, with a blank after each. */
struct names {
	const struct net *net;
	struct nbd_out o;
	char text[(NET_JOBS + PLAN_MAX) * 16];
};

static void add_name(void *ctx, const struct iface *iface)
{
	struct names *n = ctx;

	if (is_used(n->net, iface))
		nbd_putf(&n->o, "%s%s", n->o.len ? " " : "", iface->name);
}

static int hand_off(struct net *net, const struct job *root, bool boot,
		    struct nbd_diag *d)
{
	struct net_state *s = &net->state, other;
	struct names n = { .net = net,
			   .o = { .buf = n.text, .cap = sizeof(n.text) - 1 } };
	const struct job *j;
	unsigned i;
	int rc;

	net_job_state(root, &net->plan, s);
	for (j = net->job; j < net->job + net->n; j++) {
		if (j->state != JOB_DONE || j == root)
			continue;
		net_job_state(j, &net->plan, &other);
		rc = net_handoff_write(net->run, &other, &j->dhcp, false, d);
		if (rc < 0)
			return rc;
		if (!s->domain[0])
			memcpy(s->domain, other.domain, sizeof(s->domain));
		if (!s->root_path[0])
			memcpy(s->root_path, other.root_path,
			       sizeof(s->root_path));
		for (i = 0; i < other.n_dns; i++)
			if (!nbd_ip_link_local(&other.dns[i]))
				s->n_dns = nbd_ip_add(s->dns, s->n_dns, NET_DNS,
						      &other.dns[i]);
	}
	if (boot)
		net_keep_domains(s->domain);
	rc = net_handoff_write(net->run, s, &root->dhcp, true, d);
	if (!rc)
		rc = iface_each(add_name, &n, d);
	return rc ? rc : net_handoff_machine(net->run, s, n.text, d);
}

/*
 * Sets *root to the job through which the root is reached, or to NULL if none
 * is needed, or (NBD_E_UNREACHABLE) if none is done.
 */
static int choose(const struct net *net, const struct job **root,
		  struct nbd_diag *d)
{
	const struct ip_config *ip, *missing = NULL;
	const struct job *j;

	*root = NULL;
	for (ip = net->plan.ip; ip < net->plan.ip + net->plan.n_ip; ip++) {
		j = best(net, ip);
		if (!required(net, ip))
			continue;
		if (!j || j->state != JOB_DONE)
			missing = missing ? missing : ip;
		else if (!*root)
			*root = j;
	}
	if (!missing)
		return NBD_OK;
	net_explain(net, missing, best(net, missing), d);
	if (!*root)
		return NBD_E_UNREACHABLE;
	boot_say("%s; going on without", d->text);
	return NBD_OK;
}

void net_done(struct net *net)
{
	while (net->n)
		net_job_close(&net->job[--net->n]);
	if (net->listens)
		close(net->eapol);
	net->listens = false;
}

static bool uses_ipv6(const struct net *net)
{
	unsigned i;

	for (i = 0; i < net->plan.n_ip; i++)
		if (net->plan.ip[i].client.len == 16)
			return true;
	return has_method(net,
			  1u << IP_AUTO6 | 1u << IP_LINK6 | 1u << IP_DHCP6);
}

int net_up(struct net *net, bool boot, struct nbd_diag *d)
{
	const struct job *root = NULL;
	int rc = nl_open(&net->events, NETLINK_ROUTE, EVENTS, d);

	if (rc < 0)
		return rc;
	net_done(net);
	if (has_method(net, 1u << IP_DHCP | 1u << IP_AUTO6 | 1u << IP_DHCP6)) {
		net->eapol = eapol_open();
		net->listens = net->eapol >= 0;
	}
	/* as a module, nothing else would load it: netlink does not */
	if (uses_ipv6(net))
		mod_load("ipv6", "", NULL);
	if (boot && !net->no_login)
		net_login_open(&net->login, LOGIN_CTL);
	net->run = file_run();
	rc = run(net, d);
	nl_close(&net->events);
	if (!rc)
		rc = choose(net, &root, d);
	if (root) {
		boot_note("%s is up", root->l.name);
		rc = hand_off(net, root, boot, d);
	}
	if (root && boot) {
		take_unused_down(net);
		net_set_machine(&net->state);
	}
	net_login_close(&net->login);
	if (net->run >= 0)
		close(net->run);
	return rc;
}
