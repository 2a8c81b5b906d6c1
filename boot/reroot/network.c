/* SPDX-License-Identifier: BSD-2-Clause */
/* How this machine reaches a server, as words of the kernel command line. */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/net/ip.h"
#include "boot/reroot/reroot.h"
#include "port/linux/file.h"
#include "port/linux/link.h"

#define DNS_MAX 3

/* The number in hexadecimal digits at p, as the CPU stores it. */
static uint32_t hex(const char *p)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < 4; i++, p += 2)
		v = v << 8 | ((unsigned)nbd_hex_byte(p) & 0xff);
	return v;
}

/*
 * Finds the gateway of the interface's default route in lines of
 * /proc/net/route: name, destination, gateway, flags ...
 */
static void put_gateway(struct reroot_words *w, const char *name)
{
	char buf[4096], *line = buf, *p;
	uint32_t gw;

	file_read(AT_FDCWD, "/proc/net/route", buf, sizeof(buf));
	for (; (p = strchr(line, '\n')); line = p + 1) {
		size_t n = strcspn(line, "\t");

		if (strlen(name) != n || memcmp(line, name, n) != 0 ||
		    strncmp(line + n, "\t00000000\t", 10) != 0)
			continue;
		gw = hex(line + n + 10);
		if (gw)
			nbd_put_ip(&w->o, &gw, 4);
		return;
	}
}

/* An address that lasts.  klibc's ipconfig knows a mask only with dots. */
static void put_fixed(struct reroot_words *w, const struct link_addr *a,
		      const struct link *l, const char *device)
{
	unsigned char mask[4];

	if (a->family == AF_INET6) {
		nbd_putf(&w->o, "[");
		nbd_put_ip(&w->o, a->ip, 16);
		nbd_putf(&w->o, "]:::%u", a->prefix);
	} else {
		net_ip_to_mask(a->prefix, mask);
		nbd_put_ip(&w->o, a->ip, 4);
		nbd_putf(&w->o, "::");
		put_gateway(w, l->name);
		nbd_putf(&w->o, ":");
		nbd_put_ip(&w->o, mask, 4);
	}
	nbd_putf(&w->o, "::%s:off ", device);
}

static const char *method(const struct link_ip *a)
{
	if (a->a.family == AF_INET)
		return "dhcp";
	return a->global ? "auto6" : "link6";
}

static void put_ip(struct reroot_words *w, const struct link_ip *a,
		   const struct link *l, const char *device)
{
	nbd_putf(&w->o, "ip=");
	if (a->lasting && a->global)
		put_fixed(w, &a->a, l, device);
	else
		nbd_putf(&w->o, "%s%s%s ", device, *device ? ":" : "",
			 method(a));
}

/* Not a VLAN, a bond or a bridge. */
static bool is_card(const struct link *l)
{
	char path[64];

	nbd_fmt(path, sizeof(path), "/sys/class/net/%s/device", l->name);
	return !access(path, F_OK);
}

/*
 * The other system's programs may name interfaces differently, and klibc's
 * ipconfig does not know DEVICE:METHOD: the interface is known by its MAC.
 */
static int put_ip_anew(struct reroot_words *w, const struct link_ip *a,
		       const struct link *l, struct nbd_diag *d)
{
	const unsigned char *m = l->mac;

	if (!is_card(l))
		return nbd_diag(d, NBD_E_KERNEL,
				"%s, over which the server is reached, is no "
				"network card, and the next kernel lacks it "
				"(--append 'ip=...' with vlan=, bond= or "
				"bridge= gives it one)",
				l->name);
	put_ip(w, a, l, "");
	nbd_putf(&w->o, "BOOTIF=01-%02x-%02x-%02x-%02x-%02x-%02x ", m[0], m[1],
		 m[2], m[3], m[4], m[5]);
	return NBD_OK;
}

/* Servers on this machine, as that of systemd-resolved, end with the system. */
static void put_dns(struct reroot_words *w)
{
	static const char key[] = "nameserver ";
	char buf[4096], *line, *p;
	unsigned n = 0;

	if (file_read(AT_FDCWD, "/run/systemd/resolve/resolv.conf", buf,
		      sizeof(buf)) < 0)
		file_read(AT_FDCWD, "/etc/resolv.conf", buf, sizeof(buf));
	for (line = buf; n < DNS_MAX && (p = strchr(line, '\n'));
	     line = p + 1) {
		struct link_addr a;

		*p = '\0';
		if (strncmp(line, key, sizeof(key) - 1) != 0)
			continue;
		line += sizeof(key) - 1;
		if (!net_ip_address(line, &a) ||
		    (a.family == AF_INET && a.ip[0] == 127))
			continue;
		nbd_put(&w->o, "nameserver=", 11);
		nbd_put_ip(&w->o, a.ip, a.family == AF_INET ? 4 : 16);
		nbd_put(&w->o, " ", 1);
		n++;
	}
}

int reroot_network(struct reroot_words *w, const struct sockdiag_link *l,
		   bool anew, struct nbd_diag *d)
{
	struct link_ip a = { .a.family = (int)l->family };
	struct link i = { 0 };
	int rc;

	memcpy(a.a.ip, l->local, sizeof(a.a.ip));
	rc = link_refresh_addr(&a, d);
	i.index = a.index;
	if (!rc)
		rc = link_refresh(&i, d);
	if (rc)
		return rc;
	if (!i.name[0])
		return nbd_diag(d, NBD_E_UNREACHABLE,
				"the address of the connection is gone");
	if (anew)
		rc = put_ip_anew(w, &a, &i, d);
	else
		put_ip(w, &a, &i, i.name);
	if (!rc)
		put_dns(w);
	return rc;
}
