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

struct search {
	const struct sockdiag_link *l;
	struct link_ip found; /* index 0: none */
	char name[16];
};

static void see_addr(void *ctx, const struct link_ip *a)
{
	struct search *s = ctx;
	size_t len = s->l->family == AF_INET ? 4 : 16;

	if ((unsigned)a->a.family == s->l->family &&
	    !memcmp(a->a.ip, s->l->local, len))
		s->found = *a;
}

static void see_link(void *ctx, const struct link *l)
{
	struct search *s = ctx;

	if (l->index == s->found.index)
		memcpy(s->name, l->name, sizeof(s->name));
}

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

static void put_fixed(struct reroot_words *w, const struct search *s)
{
	bool v6 = s->l->family == AF_INET6;

	nbd_put(&w->o, "ip=[", v6 ? 4 : 3);
	nbd_put_ip(&w->o, s->l->local, v6 ? 16 : 4);
	nbd_put(&w->o, "]::", v6 ? 3 : 0);
	if (!v6) {
		nbd_put(&w->o, "::", 2);
		put_gateway(w, s->name);
	}
	nbd_putf(&w->o, ":%u::%s:off ", s->found.a.prefix, s->name);
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
	struct search s = { .l = l };
	int rc = link_each_addr(see_addr, &s, d);

	if (!rc)
		rc = link_each(see_link, &s, d);
	if (rc)
		return rc;
	if (!s.name[0])
		return nbd_diag(d, NBD_E_UNREACHABLE,
				"the address of the connection is gone");
	if (s.found.lasting && s.found.global)
		put_fixed(w, &s);
	else
		nbd_putf(&w->o, "ip=%s:%s ", s.name,
			 l->family == AF_INET ? "dhcp"
			 : s.found.global     ? "auto6"
					      : "link6");
	put_dns(w);
	return NBD_OK;
}
