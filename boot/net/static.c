/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network of a small build: one interface, up, with a static IPv4 address
 * if ip= gives one in the kernel's form.  All the rest is in net.c.
 */
#include "boot/net/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/common/console.h"
#include "boot/net/mask.h"
#include "port/linux/dir.h"

/* Longer than a switch takes to agree on a speed; then a person hears why. */
#define LINK_MS 15000
#define IP_DNS	2

/*
 * client:server:gateway:netmask:host:device:autoconf:dns0:dns1:ntp0, any of
 * which may be empty or left out at the end.  client may be "address/prefix".
 * The server is not ours (it is NFS's) and the NTP server is left to init.
 */
static struct ip_config {
	bool up;	   /* bring an interface up */
	bool is_static;	   /* and give it the address */
	uint8_t client[4]; /* network order, like all of them */
	uint8_t gateway[4], dns[IP_DNS][4];
	bool has_gateway, has_dns[IP_DNS];
	unsigned prefix; /* 0 to 32; of the address's class if not given */
	char host[65];	 /* "" if not given */
	char device[16]; /* "": the first that has a link */
} config;

#define FIELDS 10
enum field { CLIENT, SERVER, GATEWAY, NETMASK, HOST, DEVICE, AUTO, DNS0, DNS1 };

static const char *const names[FIELDS] = {
	"client address", "server address", "gateway", "netmask", "host name",
	"device",	  "autoconf",	    "dns0",    "dns1",	  "ntp0",
};

static int wrong(struct nbd_diag *d, const char *field, const char *value)
{
	return nbd_diag(d, NBD_E_USAGE, "ip=: the %s is wrong: %s", field,
			value);
}

/* What the kernel takes when no mask is given. */
static unsigned class_prefix(const uint8_t a[4])
{
	return a[0] < 128 ? 8 : a[0] < 192 ? 16 : 24;
}

static bool address(const char *text, uint8_t to[4])
{
	return inet_pton(AF_INET, text, to) == 1;
}

static int take_client(struct ip_config *ip, char *client, const char *mask,
		       struct nbd_diag *d)
{
	char *slash = strchr(client, '/');
	int prefix;

	if (slash)
		*slash++ = '\0';
	if (!address(client, ip->client))
		return wrong(d, names[CLIENT], client);
	ip->is_static = true;
	ip->prefix = class_prefix(ip->client);
	if (!slash && !*mask)
		return NBD_OK;
	prefix = net_mask_prefix(slash ? slash : mask, 32);
	if (prefix < 0)
		return wrong(d, names[NETMASK], slash ? slash : mask);
	ip->prefix = (unsigned)prefix;
	return NBD_OK;
}

static int take_fields(struct ip_config *ip, char *f[FIELDS],
		       struct nbd_diag *d)
{
	unsigned i;

	ip->has_gateway = *f[GATEWAY];
	if (ip->has_gateway && !address(f[GATEWAY], ip->gateway))
		return wrong(d, names[GATEWAY], f[GATEWAY]);
	for (i = 0; i < IP_DNS; i++) {
		ip->has_dns[i] = *f[DNS0 + i];
		if (ip->has_dns[i] && !address(f[DNS0 + i], ip->dns[i]))
			return wrong(d, names[DNS0 + i], f[DNS0 + i]);
	}
	if (nbd_fmt(ip->host, sizeof(ip->host), "%s", f[HOST]) < 0)
		return wrong(d, names[HOST], f[HOST]);
	if (nbd_fmt(ip->device, sizeof(ip->device), "%s", f[DEVICE]) < 0 ||
	    strchr(ip->device, '/'))
		return wrong(d, names[DEVICE], f[DEVICE]);
	return *f[CLIENT] ? take_client(ip, f[CLIENT], f[NETMASK], d) : NBD_OK;
}

static bool is_none(const char *s)
{
	return !*s || !strcmp(s, "off") || !strcmp(s, "none");
}

static int parse(struct ip_config *ip, const char *text, struct nbd_diag *d)
{
	char buf[256], *f[FIELDS], *p = buf;
	unsigned i;
	int rc;

	memset(ip, 0, sizeof(*ip));
	ip->up = !text || !is_none(text);
	if (!text || !ip->up)
		return NBD_OK;
	if (nbd_fmt(buf, sizeof(buf), "%s", text) < 0)
		return wrong(d, "length", "over 255 bytes");
	if (!strchr(buf, ':') && !strchr(buf, '.'))
		return nbd_diag(d, NBD_E_USAGE,
				"ip=%s: not supported; give the address as ip="
				"ADDRESS/PREFIX::GATEWAY::HOST:DEVICE:none",
				text);
	for (i = 0; i < FIELDS; i++) {
		size_t n = strcspn(p, ":");
		bool more = p[n];

		f[i] = p;
		p[n] = '\0';
		p += n + more;
	}
	if (*p)
		return wrong(d, "rest behind ntp0", p);
	rc = take_fields(ip, f, d);
	if (!rc && !is_none(f[AUTO]) && !ip->is_static)
		return wrong(d, names[AUTO], f[AUTO]);
	return rc;
}

static int write_resolv_conf(const struct ip_config *ip, struct nbd_diag *d)
{
	char buf[128];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };
	unsigned i;
	int rc;

	for (i = 0; i < IP_DNS; i++) {
		if (!ip->has_dns[i])
			continue;
		nbd_putf(&o, "nameserver ");
		nbd_put_ip(&o, ip->dns[i], 4);
		nbd_putf(&o, "\n");
	}
	if (!o.len)
		return NBD_OK;
	mkdir("/etc", 0755);
	rc = dir_write(AT_FDCWD, "/etc/resolv.conf", buf, o.len);
	return rc ? nbd_diag(d, NBD_E_IO, "write /etc/resolv.conf: %s",
			     strerror(-rc))
		  : NBD_OK;
}

static void up_one(void *ctx, const struct link *l)
{
	struct nbd_diag d;

	(void)ctx;
	if (!l->loopback && !l->up && link_up(l->index, &d))
		boot_say("%s", d.text);
}

/* The index of the interface to use, up and with a link. */
static int find_link(const struct ip_config *ip, struct link *l,
		     struct nbd_diag *d)
{
	const char *name = ip->device[0] ? ip->device : NULL;
	struct nbd_diag why;
	int index = link_wait(name, false, LINK_MS, l, &why);

	if (index < 0)
		return nbd_diag(d, NBD_E_UNREACHABLE,
				"no network interface %s after %d s: is its "
				"driver in this initramfs?",
				name ? name : "but loopback", LINK_MS / 1000);
	/* which one has a link is known only when all are up */
	if (name)
		link_up(index, &why);
	else
		link_each(up_one, NULL, &why);
	index = link_wait(name, true, LINK_MS, l, &why);
	if (index < 0)
		return nbd_diag(d, NBD_E_UNREACHABLE,
				"no link on %s after %d s: is the cable in?",
				name ? name : "any network interface",
				LINK_MS / 1000);
	return index;
}

static int configure(const struct ip_config *ip, int index, struct nbd_diag *d)
{
	struct link_addr a = { .family = AF_INET, .prefix = ip->prefix };
	struct link_route all = { .dst = { .family = AF_INET },
				  .gw = { .family = AF_INET } };
	int rc;

	memcpy(a.ip, ip->client, sizeof(ip->client));
	memcpy(all.gw.ip, ip->gateway, sizeof(ip->gateway));
	rc = link_add_addr(index, &a, d);
	if (!rc && ip->has_gateway)
		rc = link_add_route(index, &all, d);
	return rc;
}

static struct net_state here;

const struct net_state *net_state(void)
{
	return &here;
}

int net_configure(const struct cmdline *c, const char *host, struct nbd_diag *d)
{
	(void)host;
	return parse(&config, c->ip, d);
}

bool net_any_link(void)
{
	return config.up && !config.device[0];
}

void net_done(void)
{
}

int net_up(bool boot, struct nbd_diag *d)
{
	const struct ip_config *ip = &config;
	struct link l;
	int rc;

	(void)boot;
	if (ip->host[0] && sethostname(ip->host, strlen(ip->host)))
		boot_say("host name %s: %s", ip->host, strerror(errno));
	rc = write_resolv_conf(ip, d);
	if (rc || !ip->up)
		return rc;
	rc = find_link(ip, &l, d);
	if (rc >= 0 && ip->is_static)
		rc = configure(ip, rc, d);
	return rc < 0 ? rc : NBD_OK;
}
