/* SPDX-License-Identifier: BSD-2-Clause */
/* Interfaces, addresses and routes (rtnetlink(7)). */
#include "port/linux/iface.h"
#include "port/linux/netlink.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A request and its socket; the buffer fits every message of this file. */
struct call {
	struct nl_sock s;
	struct nl_msg m;
	unsigned char buf[160];
};

static int begin(struct call *call, unsigned type, unsigned flags,
		 const void *head, size_t head_len, struct nbd_diag *d)
{
	nl_begin(&call->m, call->buf, sizeof(call->buf), type, flags, head,
		 head_len);
	return nl_open(&call->s, NETLINK_ROUTE, 0, d);
}

static int talk(struct call *call, const char *what, struct nbd_diag *d)
{
	int rc = nl_talk(&call->s, &call->m, NULL, NULL, what, d);

	nl_close(&call->s);
	return rc;
}

static int finish(struct call *call, const char *verb, int index,
		  struct nbd_diag *d)
{
	char what[48];

	nbd_fmt(what, sizeof(what), "%s interface %d", verb, index);
	return talk(call, what, d);
}

/* ---- listing ---- */

struct each {
	void (*fn)(void *ctx, const struct iface *iface);
	void *ctx;
};

static void read_link(void *ctx, const struct nl_reply *r)
{
	const struct each *e = ctx;
	struct ifinfomsg h;
	struct iface iface = { 0 };
	struct nl_attr a;

	if (r->type != RTM_NEWLINK || r->len < sizeof(h))
		return;
	memcpy(&h, r->data, sizeof(h));
	iface.index = h.ifi_index;
	iface.flags = h.ifi_flags;
	iface.up = h.ifi_flags & IFF_UP;
	iface.carrier = iface.up && (h.ifi_flags & IFF_LOWER_UP);
	iface.loopback = h.ifi_flags & IFF_LOOPBACK;
	iface.ether = h.ifi_type == ARPHRD_ETHER;
	if (nl_find(r->data, r->len, sizeof(h), IFLA_IFNAME, &a))
		nl_str(&a, iface.name, sizeof(iface.name));
	if (nl_find(r->data, r->len, sizeof(h), IFLA_MTU, &a))
		iface.mtu = nl_num(&a);
	if (nl_find(r->data, r->len, sizeof(h), IFLA_ADDRESS, &a) &&
	    a.len == sizeof(iface.mac))
		memcpy(iface.mac, a.data, a.len);
	e->fn(e->ctx, &iface);
}

int iface_each(void (*fn)(void *ctx, const struct iface *iface), void *ctx,
	       struct nbd_diag *d)
{
	const struct ifinfomsg h = { .ifi_family = AF_UNSPEC };
	struct each e = { fn, ctx };
	struct call call;
	int rc = begin(&call, RTM_GETLINK, NLM_F_DUMP, &h, sizeof(h), d);

	if (rc < 0)
		return rc;
	/* with counters the message of one interface has several KiB */
	nl_put_u32(&call.m, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	rc = nl_talk(&call.s, &call.m, read_link, &e, "list the interfaces", d);
	nl_close(&call.s);
	return rc;
}

/* The wanted interface, and the best match so far: index 0 means none. */
struct pick {
	const char *name;
	struct iface found;
};

static void pick(void *ctx, const struct iface *iface)
{
	struct pick *p = ctx;

	if (p->name ? strcmp(p->name, iface->name) != 0 : iface->loopback)
		return;
	if (!p->found.index || (iface->carrier && !p->found.carrier))
		p->found = *iface;
}

static int picked(const struct pick *p, struct iface *iface)
{
	if (iface)
		*iface = p->found;
	return p->found.index;
}

static int no_link(const char *name, struct nbd_diag *d)
{
	if (name)
		return nbd_diag(d, NBD_E_NO_DEVICE,
				"there is no network interface %s", name);
	return nbd_diag(d, NBD_E_NO_DEVICE,
			"there is no network interface: is its driver "
			"loaded?");
}

int iface_find(const char *name, struct iface *iface, struct nbd_diag *d)
{
	struct pick p = { .name = name };
	int rc = iface_each(pick, &p, d);

	if (rc < 0)
		return rc;
	return p.found.index ? picked(&p, iface) : no_link(name, d);
}

static void refresh(void *ctx, const struct iface *iface)
{
	struct iface *to = ctx;

	if (iface->index == to->index)
		*to = *iface;
}

int iface_refresh(struct iface *iface, struct nbd_diag *d)
{
	return iface_each(refresh, iface, d);
}

/* ---- waiting ---- */

/*
 * Sleeps until the kernel reports a change, and discards the report: the caller
 * then lists all interfaces, so a lost event (ENOBUFS) does no harm.  False
 * after the deadline.
 */
static bool await(struct nl_sock *s, int64_t end)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	int64_t left = -1;

	if (end >= 0) {
		left = end - (int64_t)nbd_now_ms();
		if (left <= 0)
			return false;
	}
	if (poll(&p, 1, (int)left) > 0)
		while (recv(s->fd, s->buf, sizeof(s->buf), MSG_DONTWAIT) > 0)
			;
	return true;
}

int iface_wait(const char *name, bool carrier, int timeout_ms,
	       struct iface *iface, struct nbd_diag *d)
{
	int64_t end = timeout_ms < 0 ? -1 : (int64_t)nbd_now_ms() + timeout_ms;
	struct pick p;
	struct nl_sock s;
	int rc = nl_open(&s, NETLINK_ROUTE, RTMGRP_LINK, d);

	if (rc < 0)
		return rc;
	do {
		p = (struct pick){ .name = name };
		rc = iface_each(pick, &p, d);
		if (rc == 0 && p.found.index && (p.found.carrier || !carrier))
			rc = picked(&p, iface);
	} while (rc == 0 && await(&s, end));
	nl_close(&s);
	if (rc != 0)
		return rc;
	if (!p.found.index)
		return no_link(name, d);
	return nbd_diag(d, NBD_E_UNREACHABLE, "network interface %s %s",
			p.found.name,
			p.found.up ? "has no carrier: is the cable plugged in?"
				   : "is down");
}

/* ---- changing ---- */

/* Sets an attribute (type 0: none), and IFF_UP to up unless up is -1. */
static int set(int index, int up, unsigned type, const void *data, size_t len,
	       const char *verb, struct nbd_diag *d)
{
	const struct ifinfomsg h = { .ifi_family = AF_UNSPEC,
				     .ifi_index = index,
				     .ifi_flags = up > 0 ? IFF_UP : 0,
				     .ifi_change = up >= 0 ? IFF_UP : 0 };
	struct call call;
	int rc = begin(&call, RTM_NEWLINK, NLM_F_ACK, &h, sizeof(h), d);

	if (rc < 0)
		return rc;
	if (type)
		nl_put(&call.m, type, data, len);
	return finish(&call, verb, index, d);
}

int iface_up(int index, struct nbd_diag *d)
{
	return set(index, 1, 0, NULL, 0, "bring up", d);
}

int iface_down(int index, struct nbd_diag *d)
{
	return set(index, 0, 0, NULL, 0, "take down", d);
}

int iface_set_mtu(int index, unsigned mtu, struct nbd_diag *d)
{
	const uint32_t v = mtu;

	return set(index, -1, IFLA_MTU, &v, sizeof(v), "set the MTU of", d);
}

int iface_rename(int index, const char *name, struct nbd_diag *d)
{
	/* most kernels rename an interface only while it is down */
	int rc = iface_down(index, d);

	return rc < 0 ? rc
		      : set(index, -1, IFLA_IFNAME, name, strlen(name) + 1,
			    "rename", d);
}

int iface_set_mac(int index, const unsigned char mac[6], struct nbd_diag *d)
{
	return set(index, -1, IFLA_ADDRESS, mac, 6, "set the MAC of", d);
}

/* Creates an interface; one without a VLAN ID is on top of none. */
static int add(int index, const char *kind, const char *name, unsigned id,
	       struct nbd_diag *d)
{
	const struct ifinfomsg h = { .ifi_family = AF_UNSPEC };
	const uint16_t v = (uint16_t)id;
	char what[48];
	struct call call;
	size_t info, data;
	int rc = begin(&call, RTM_NEWLINK,
		       NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, &h, sizeof(h), d);

	if (rc < 0)
		return rc;
	nl_put_str(&call.m, IFLA_IFNAME, name);
	info = nl_nest(&call.m, IFLA_LINKINFO);
	nl_put_str(&call.m, IFLA_INFO_KIND, kind);
	if (id) {
		data = nl_nest(&call.m, IFLA_INFO_DATA);
		nl_put(&call.m, IFLA_VLAN_ID, &v, sizeof(v));
		nl_nest_end(&call.m, data);
	}
	nl_nest_end(&call.m, info);
	if (id)
		nl_put_u32(&call.m, IFLA_LINK, (uint32_t)index);
	nbd_fmt(what, sizeof(what), "add the %s %s", kind, name);
	return talk(&call, what, d);
}

int iface_add_vlan(int index, const char *name, unsigned id, struct nbd_diag *d)
{
	return add(index, "vlan", name, id, d);
}

int iface_add_master(const char *kind, const char *name, struct nbd_diag *d)
{
	return add(0, kind, name, 0, d);
}

int iface_join(int index, int master, struct nbd_diag *d)
{
	const uint32_t v = (uint32_t)master;
	/* a bond takes only interfaces that are down */
	int rc = iface_down(index, d);

	if (!rc)
		rc = set(index, -1, IFLA_MASTER, &v, sizeof(v), "join", d);
	return rc ? rc : iface_up(index, d);
}

static uint8_t family(const struct nbd_ip *addr)
{
	return addr->len == 4 ? AF_INET : AF_INET6;
}

static int check(const struct nbd_ip *addr, struct nbd_diag *d)
{
	if ((addr->len == 4 || addr->len == 16) &&
	    addr->prefix <= nbd_ip_bits(addr))
		return 0;
	return nbd_diag(d, NBD_E_PARAM, "not an IPv4 or IPv6 prefix: /%u",
			addr->prefix);
}

static void put_broadcast(struct nl_msg *m, const struct nbd_ip *addr)
{
	unsigned char ip[4];

	nbd_ip_last(addr, ip);
	nl_put(m, IFA_BROADCAST, ip, sizeof(ip));
}

int iface_add_addr(int index, const struct nbd_ip *addr, uint32_t seconds,
		   struct nbd_diag *d)
{
	const struct ifa_cacheinfo life = { .ifa_prefered = seconds,
					    .ifa_valid = seconds };
	struct ifaddrmsg h = { .ifa_family = family(addr),
			       .ifa_prefixlen = addr->prefix,
			       .ifa_index = (uint32_t)index };
	struct call call;
	int rc = check(addr, d);

	if (rc == 0)
		rc = begin(&call, RTM_NEWADDR,
			   NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE, &h,
			   sizeof(h), d);
	if (rc < 0)
		return rc;
	nl_put(&call.m, IFA_LOCAL, addr->ip, addr->len);
	nl_put(&call.m, IFA_ADDRESS, addr->ip, addr->len);
	if (addr->len == 4 && addr->prefix < 31)
		put_broadcast(&call.m, addr);
	nl_put(&call.m, IFA_CACHEINFO, &life, sizeof(life));
	return finish(&call, "add an address to", index, d);
}

int iface_add_route(int index, const struct iface_route *r, struct nbd_diag *d)
{
	bool via = r->gw.len;
	const struct rtmsg h = {
		.rtm_family = family(&r->dst),
		.rtm_dst_len = r->dst.prefix,
		.rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = RTPROT_BOOT,
		.rtm_scope = via ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK,
		.rtm_type = RTN_UNICAST,
		.rtm_flags = r->onlink ? RTNH_F_ONLINK : 0,
	};
	struct call call;
	int rc = check(&r->dst, d);

	if (rc == 0)
		rc = begin(&call, RTM_NEWROUTE,
			   NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE, &h,
			   sizeof(h), d);
	if (rc < 0)
		return rc;
	if (r->dst.prefix)
		nl_put(&call.m, RTA_DST, r->dst.ip, r->dst.len);
	if (via)
		nl_put(&call.m, RTA_GATEWAY, r->gw.ip, r->dst.len);
	if (r->metric)
		nl_put_u32(&call.m, RTA_PRIORITY, r->metric);
	nl_put_u32(&call.m, RTA_OIF, (uint32_t)index);
	return finish(&call, "add a route through", index, d);
}

/* ---- listing addresses ---- */

struct each_addr {
	void (*fn)(void *ctx, const struct iface_addr *a);
	void *ctx;
};

static void read_addr(void *ctx, const struct nl_reply *r)
{
	const struct each_addr *e = ctx;
	struct ifaddrmsg h;
	struct iface_addr i = { 0 };
	struct nl_attr a;

	if (r->type != RTM_NEWADDR || r->len < sizeof(h))
		return;
	memcpy(&h, r->data, sizeof(h));
	i.a.len = h.ifa_family == AF_INET    ? 4
		  : h.ifa_family == AF_INET6 ? 16
					     : 0;
	i.a.prefix = h.ifa_prefixlen;
	i.index = (int)h.ifa_index;
	i.global = h.ifa_scope < RT_SCOPE_LINK;
	i.failed = h.ifa_flags & IFA_F_DADFAILED;
	i.lasting = h.ifa_flags & IFA_F_PERMANENT;
	i.tentative = h.ifa_flags & IFA_F_TENTATIVE;
	/* on a point-to-point link IFA_ADDRESS is the peer's address */
	if ((nl_find(r->data, r->len, sizeof(h), IFA_LOCAL, &a) ||
	     nl_find(r->data, r->len, sizeof(h), IFA_ADDRESS, &a)) &&
	    !check(&i.a, NULL) && a.len == i.a.len) {
		memcpy(i.a.ip, a.data, a.len);
		e->fn(e->ctx, &i);
	}
}

int iface_each_addr(void (*fn)(void *ctx, const struct iface_addr *a),
		    void *ctx, struct nbd_diag *d)
{
	const struct ifaddrmsg h = { .ifa_family = AF_UNSPEC };
	struct each_addr e = { fn, ctx };
	struct call call;
	int rc = begin(&call, RTM_GETADDR, NLM_F_DUMP, &h, sizeof(h), d);

	if (rc < 0)
		return rc;
	rc = nl_talk(&call.s, &call.m, read_addr, &e, "list the addresses", d);
	nl_close(&call.s);
	return rc;
}

static void refresh_addr(void *ctx, const struct iface_addr *a)
{
	struct iface_addr *to = ctx;

	if (a->a.len == to->a.len && !memcmp(a->a.ip, to->a.ip, a->a.len))
		*to = *a;
}

int iface_refresh_addr(struct iface_addr *a, struct nbd_diag *d)
{
	return iface_each_addr(refresh_addr, a, d);
}
