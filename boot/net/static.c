/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network of a small build: one interface, up, with a static IPv4 address
 * if ip= gives one.  net.c has everything else.
 */
#include "boot/net/net.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "port/linux/file.h"

/* ms: longer than a switch takes to negotiate a speed. */
#define LINK_MS 15000

const struct ip_methods boot_ip_methods = {
	.unsaid = IP_LINK,
	.bits = 1 << IP_OFF | 1 << IP_LINK,
	.has = "none and addresses: "
	       "ip=ADDRESS/PREFIX::GATEWAY::HOST:DEVICE:none",
};

static int write_resolv_conf(const struct ip_config *ip, struct nbd_diag *d)
{
	char buf[128];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };
	unsigned i;
	int rc;

	for (i = 0; i < IP_DNS; i++) {
		if (!ip->dns[i].len)
			continue;
		nbd_putf(&o, "nameserver ");
		nbd_put_ip(&o, ip->dns[i].ip, ip->dns[i].len);
		nbd_putf(&o, "\n");
	}
	if (!o.len)
		return NBD_OK;
	mkdir("/etc", 0755);
	rc = file_write(AT_FDCWD, "/etc/resolv.conf", buf, o.len);
	return rc ? nbd_diag(d, NBD_E_IO, "write /etc/resolv.conf: %s",
			     strerror(errno))
		  : NBD_OK;
}

static void up_one(void *ctx, const struct iface *iface)
{
	struct nbd_diag d;

	(void)ctx;
	if (!iface->loopback && !iface->up && iface_up(iface->index, &d))
		boot_say("%s", d.text);
}

/* Returns the index of the interface to use, when it is up and has a link. */
static int find_interface(const struct ip_config *ip, struct iface *iface,
			  struct nbd_diag *d)
{
	const char *name = ip->device[0] ? ip->device : NULL;
	struct nbd_diag why;
	int index = iface_wait(name, false, LINK_MS, iface, &why);

	if (index < 0)
		return nbd_diag(d, NBD_E_UNREACHABLE,
				"no network interface %s after %d s: is its "
				"driver in this initramfs?",
				name ? name : "but loopback", LINK_MS / 1000);
	/* whether an interface has a link is known only when it is up */
	if (name)
		iface_up(index, &why);
	else
		iface_each(up_one, NULL, &why);
	index = iface_wait(name, true, LINK_MS, iface, &why);
	if (index < 0)
		return nbd_diag(d, NBD_E_UNREACHABLE,
				"no link on %s after %d s: is the cable in?",
				name ? name : "any network interface",
				LINK_MS / 1000);
	return index;
}

static int set_interface(const struct ip_config *ip, int index,
			 struct nbd_diag *d)
{
	struct iface_route all = { .dst = { .len = 4 }, .gw = ip->gateway };
	int rc = ip->mtu ? iface_set_mtu(index, ip->mtu, d) : NBD_OK;

	if (!rc && ip->client.len)
		rc = iface_add_addr(index, &ip->client, IFACE_FOREVER, d);
	if (!rc && ip->client.len && ip->gateway.len)
		rc = iface_add_route(index, &all, d);
	return rc;
}

int net_configure(struct net *net, const struct cmdline *c, const char *host,
		  struct nbd_diag *d)
{
	static const unsigned char none[6];
	struct ip_config *ip = &net->plan.ip[0];
	int rc;

	(void)host;
	memset(ip, 0, sizeof(*ip));
	ip->method = IP_LINK;
	rc = c->ip ? boot_ip_parse(ip, c->ip, d) : NBD_OK;
	if (rc)
		return rc;
	if (ip->client.len == 16 || ip->gateway.len == 16 ||
	    strlen(ip->device) > 15 || memcmp(ip->mac, none, sizeof(none)) != 0)
		return nbd_diag(d, NBD_E_USAGE,
				"ip=%s: IPv6 addresses and MACs are not in "
				"this build",
				c->ip);
	return NBD_OK;
}

bool net_any_link(const struct net *net)
{
	const struct ip_config *ip = &net->plan.ip[0];

	return ip->method != IP_OFF && !ip->device[0];
}

void net_done(struct net *net)
{
	(void)net;
}

int net_up(struct net *net, bool boot, struct nbd_diag *d)
{
	const struct ip_config *ip = &net->plan.ip[0];
	struct iface iface;
	int rc;

	(void)boot;
	net_set_host(ip->host, ip->cut);
	rc = write_resolv_conf(ip, d);
	if (rc || ip->method == IP_OFF)
		return rc;
	rc = find_interface(ip, &iface, d);
	return rc < 0 ? rc : set_interface(ip, rc, d);
}
