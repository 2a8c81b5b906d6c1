/* SPDX-License-Identifier: BSD-2-Clause */
/* How this machine reaches a server, as words of the kernel command line. */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

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

static void put_fixed(struct reroot_words *w, const struct link_addr *a,
		      const char *name)
{
	bool v6 = a->family == AF_INET6;

	nbd_putf(&w->o, v6 ? "ip=[" : "ip=");
	nbd_put_ip(&w->o, a->ip, v6 ? 16 : 4);
	nbd_putf(&w->o, v6 ? "]::" : "::");
	if (!v6)
		put_gateway(w, name);
	nbd_putf(&w->o, ":%u::%s:off ", a->prefix, name);
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
		   struct nbd_diag *d)
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
	if (a.lasting && a.global)
		put_fixed(w, &a.a, i.name);
	else
		nbd_putf(&w->o, "ip=%s:%s ", i.name,
			 l->family == AF_INET ? "dhcp"
			 : a.global	      ? "auto6"
					      : "link6");
	put_dns(w);
	return NBD_OK;
}
