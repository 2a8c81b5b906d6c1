/* SPDX-License-Identifier: BSD-2-Clause */
/* How this machine reaches a server, as words of the kernel command line. */
#include <linux/ipv6_route.h>
#include <linux/route.h>
#include <string.h>
#include <unistd.h>

#include "boot/words/plan.h"
#include "boot/system/console.h"
#include "boot/reroot/reroot.h"
#include "port/linux/file.h"
#include "port/linux/iface.h"

#define DNS_MAX 3

/* Of Linux 5.15; not for users, but /proc shows it: in the table "local". */
#ifndef RTF_LOCAL
#define RTF_LOCAL 0x80000000
#endif
#define COLUMNS 11

/* ---- routes ---- */

/* Up to 8 hexadecimal digits, two by two. */
static uint32_t hex(const char *p)
{
	uint32_t v = 0;
	int byte;

	for (unsigned i = 0; i < 4 && (byte = nbd_hex_byte(p)) >= 0;
	     i++, p += 2)
		v = v << 8 | (uint32_t)byte;
	return v;
}

/* Cuts a line at its blanks; missing columns are "". */
static void split(char *line, char *f[COLUMNS])
{
	for (unsigned i = 0; i < COLUMNS; i++) {
		line += strspn(line, NBD_BLANKS);
		f[i] = line;
		line += strcspn(line, NBD_BLANKS);
		if (*line)
			*line++ = '\0';
	}
}

/*
 * /proc/net/route: name, destination, gateway, flags, references, use, metric,
 * mask ...; addresses as the CPU stores them.
 */
static bool take4(struct iface_route *r, char *f[COLUMNS], const char *name)
{
	uint32_t dst = hex(f[1]), gw = hex(f[2]), mask = hex(f[7]);
	unsigned flags = hex(f[3]);
	unsigned char bytes[4];
	long metric = nbd_number(f[6], 0, 0x7fffffff);
	int prefix;

	memcpy(bytes, &mask, 4);
	prefix = nbd_ip_mask(bytes);
	memcpy(r->dst.ip, &dst, 4);
	memcpy(r->gw.ip, &gw, 4);
	r->dst.prefix = (uint8_t)prefix;
	r->metric = metric < 0 ? UINT32_MAX : (unsigned)metric;
	r->gw.len = flags & RTF_GATEWAY ? 4 : 0;
	/* the kernel makes those of multicast itself */
	return !strcmp(f[0], name) && flags & RTF_UP && !(flags & RTF_REJECT) &&
	       prefix >= 0 && (prefix < 4 || r->dst.ip[0] < 224);
}

static void take_ip6(unsigned char ip[16], const char *p)
{
	for (unsigned i = 0; i < 16 && nbd_hex_byte(p) >= 0; i++, p += 2)
		ip[i] = (unsigned char)nbd_hex_byte(p);
}

/*
 * /proc/net/ipv6_route: destination, prefix, source, prefix, gateway, metric,
 * references, use, flags, name.  Those that a router advertises come again, but
 * the root may be needed before that: only of these, the default route counts.
 */
static bool take6(struct iface_route *r, char *f[COLUMNS], const char *name)
{
	uint32_t flags = hex(f[8]);
	bool advertised = flags & RTF_ADDRCONF;

	take_ip6(r->dst.ip, f[0]);
	take_ip6(r->gw.ip, f[4]);
	r->dst.prefix = (uint8_t)hex(f[1]);
	r->metric = hex(f[5]);
	r->gw.len = flags & RTF_GATEWAY ? 16 : 0;
	return !strcmp(f[9], name) && flags & RTF_UP &&
	       !(flags & (RTF_REJECT | RTF_ANYCAST | RTF_CACHE | RTF_LOCAL)) &&
	       r->dst.prefix <= 128 && !hex(f[3]) &&
	       !(advertised && r->dst.prefix) && r->dst.ip[0] != 0xff &&
	       !nbd_ip_link_local(&r->dst);
}

typedef void use_route(void *ctx, const struct iface_route *r);

/* Calls fn for the routes through the interface, in the kernel's order. */
static void each_route(const char *name, unsigned len, use_route *fn, void *ctx)
{
	bool v6 = len == 16;
	char *line, *f[COLUMNS];
	struct file_lines file;

	if (file_lines_open(&file,
			    v6 ? "/proc/net/ipv6_route" : "/proc/net/route"))
		return;
	while ((line = file_lines_next(&file))) {
		struct iface_route r = { .dst.len = (uint8_t)len };

		split(line, f);
		if (v6 ? take6(&r, f, name) : take4(&r, f, name))
			fn(ctx, &r);
	}
}

/* The default route that counts is that with the lowest metric. */
static void take_gateway(void *ctx, const struct iface_route *r)
{
	struct iface_route *best = ctx;

	if (!r->dst.prefix && r->gw.len &&
	    (!best->gw.len || r->metric < best->metric))
		*best = *r;
}

static void put_address(struct reroot_words *w, const struct nbd_ip *addr)
{
	if (addr->len)
		nbd_put_ip(&w->o, addr->ip, addr->len);
}

/* With brackets for IPv6. */
static void put_bracketed(struct reroot_words *w, const struct nbd_ip *addr)
{
	nbd_putf(&w->o, addr->len == 16 ? "[" : "");
	put_address(w, addr);
	nbd_putf(&w->o, addr->len == 16 ? "]" : "");
}

static void put_gateway(struct reroot_words *w, const struct iface *iface,
			unsigned len)
{
	struct iface_route best = { 0 };

	each_route(iface->name, len, take_gateway, &best);
	put_bracketed(w, &best.gw);
}

struct routes {
	struct reroot_words *w;
	const struct nbd_ip *own;
	const unsigned char *server;
	const char *device; /* "": not named */
	bool to_server;	    /* those to it, else the others */
	struct nbd_ip last;
	unsigned n, lost;
};

/* The kernel makes that of the address itself; ip= has the default route. */
static bool is_implied(const struct routes *routes, const struct iface_route *r)
{
	return r->gw.len ? !r->dst.prefix
			 : r->dst.prefix == routes->own->prefix &&
				   nbd_ip_covers(&r->dst, routes->own->ip);
}

static void put_route(void *ctx, const struct iface_route *r)
{
	struct routes *routes = ctx;
	struct nbd_out *o = &routes->w->o;
	bool v6 = r->dst.len == 16;

	/* of those to one network, the first has the lowest metric */
	if (is_implied(routes, r) ||
	    nbd_ip_covers(&r->dst, routes->server) != routes->to_server ||
	    (routes->n && nbd_ip_same(&routes->last, &r->dst) &&
	     routes->last.prefix == r->dst.prefix))
		return;
	routes->last = r->dst;
	if (routes->n == PLAN_MAX) {
		routes->lost++;
		return;
	}
	routes->n++;
	nbd_putf(o, v6 ? "rd.route=[" : "rd.route=");
	put_address(routes->w, &r->dst);
	nbd_putf(o, v6 ? "/%u]:" : "/%u:", r->dst.prefix);
	put_bracketed(routes->w, &r->gw);
	nbd_putf(o, "%s%s ", *routes->device ? ":" : "", routes->device);
}

/* A boot takes PLAN_MAX of them; the server's first. */
static void put_routes(struct reroot_words *w, const struct nbd_ip *own,
		       const struct iface *iface, const char *device,
		       const unsigned char *server)
{
	struct routes routes = { w, own, server, device, .to_server = true };

	each_route(iface->name, own->len, put_route, &routes);
	routes.to_server = false;
	each_route(iface->name, own->len, put_route, &routes);
	if (routes.lost)
		boot_say("%s: the first %u routes are kept, %u are not",
			 iface->name, routes.n, routes.lost);
}

/* ---- addresses ---- */

/* An address that lasts.  klibc's ipconfig knows a mask only with dots. */
static void put_fixed(struct reroot_words *w, const struct nbd_ip *addr,
		      const struct iface *iface, const char *device)
{
	unsigned char mask[4];

	put_bracketed(w, addr);
	nbd_putf(&w->o, "::");
	put_gateway(w, iface, addr->len);
	nbd_putf(&w->o, ":");
	if (addr->len == 16) {
		nbd_putf(&w->o, "%u", addr->prefix);
	} else {
		nbd_ip_to_mask(addr->prefix, mask);
		nbd_put_ip(&w->o, mask, 4);
	}
	nbd_putf(&w->o, "::%s:off ", device);
}

static const char *method(const struct iface_addr *a)
{
	if (a->a.len == 4)
		return "dhcp";
	return a->global ? "auto6" : "link6";
}

/* DHCP and routers bring their routes again. */
static void put_ip(struct reroot_words *w, const struct iface_addr *a,
		   const struct iface *iface, const char *device,
		   const unsigned char *server)
{
	nbd_putf(&w->o, "ip=");
	if (a->lasting && a->global) {
		put_fixed(w, &a->a, iface, device);
		put_routes(w, &a->a, iface, device, server);
	} else {
		nbd_putf(&w->o, "%s%s%s ", device, *device ? ":" : "",
			 method(a));
	}
}

/* Not a VLAN, a bond or a bridge. */
static bool is_card(const struct iface *iface)
{
	char path[64];

	nbd_fmt(path, sizeof(path), "/sys/class/net/%s/device", iface->name);
	return !access(path, F_OK);
}

/*
 * The other system's programs may name interfaces differently, and klibc's
 * ipconfig does not know DEVICE:METHOD: the interface is known by its MAC.
 */
static int put_ip_anew(struct reroot_words *w, const struct iface_addr *a,
		       const struct iface *iface, const unsigned char *server,
		       struct nbd_diag *d)
{
	const unsigned char *m = iface->mac;

	if (!is_card(iface))
		return nbd_diag(d, NBD_E_KERNEL,
				"%s, over which the server is reached, is no "
				"network card, and the next kernel lacks it "
				"(--append 'ip=...' with vlan=, bond= or "
				"bridge= gives it one)",
				iface->name);
	put_ip(w, a, iface, "", server);
	nbd_putf(&w->o, "BOOTIF=01-%02x-%02x-%02x-%02x-%02x-%02x ", m[0], m[1],
		 m[2], m[3], m[4], m[5]);
	return NBD_OK;
}

/* Servers on this machine, as that of systemd-resolved, end with the system. */
static bool is_loopback(const struct nbd_ip *addr)
{
	static const unsigned char six[16] = { [15] = 1 };

	return addr->len == 4 ? addr->ip[0] == 127 : !memcmp(addr->ip, six, 16);
}

static void put_dns(struct reroot_words *w)
{
	char *line, *f[COLUMNS];
	struct file_lines file;
	unsigned n = 0;

	if (file_lines_open(&file, "/run/systemd/resolve/resolv.conf") &&
	    file_lines_open(&file, "/etc/resolv.conf"))
		return;
	while (n < DNS_MAX && (line = file_lines_next(&file))) {
		struct nbd_ip addr;

		split(line, f);
		if (strcmp(f[0], "nameserver") != 0 ||
		    !boot_ip_address(f[1], &addr) || is_loopback(&addr))
			continue;
		nbd_put(&w->o, "nameserver=", 11);
		put_address(w, &addr);
		nbd_put(&w->o, " ", 1);
		n++;
	}
	file_lines_close(&file);
}

int reroot_network(struct reroot_words *w, const struct sockdiag_link *l,
		   bool anew, struct nbd_diag *d)
{
	struct iface_addr a = { .a = l->local };
	struct iface i = { 0 };
	int rc;

	rc = iface_refresh_addr(&a, d);
	i.index = a.index;
	if (!rc)
		rc = iface_refresh(&i, d);
	if (rc)
		return rc;
	if (!i.name[0])
		return nbd_diag(d, NBD_E_UNREACHABLE,
				"the address of the connection is gone");
	if (anew)
		rc = put_ip_anew(w, &a, &i, l->peer.ip, d);
	else
		put_ip(w, &a, &i, i.name, l->peer.ip);
	if (!rc)
		put_dns(w);
	return rc;
}
