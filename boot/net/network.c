/* SPDX-License-Identifier: BSD-2-Clause */
/* What ip= asks for, done. */
#include "boot/net/ip.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/init/console.h"
#include "port/linux/link.h"

/* Longer than a switch takes to agree on a speed; then a person hears why. */
#define LINK_MS 15000

static int write_resolv_conf(const struct ip_config *ip, struct nbd_diag *d)
{
	char buf[128];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };
	unsigned i;
	int fd;

	for (i = 0; i < IP_DNS; i++) {
		const uint8_t *a = ip->dns[i];

		if (ip->has_dns[i])
			nbd_putf(&o, "nameserver %u.%u.%u.%u\n", a[0], a[1],
				 a[2], a[3]);
	}
	if (!o.len)
		return NBD_OK;
	mkdir("/etc", 0755);
	fd = open("/etc/resolv.conf", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		  0644);
	if (fd < 0 || write(fd, buf, o.len) != (ssize_t)o.len) {
		nbd_diag(d, NBD_E_IO, "write /etc/resolv.conf: %s",
			 strerror(errno));
		o.cut = true;
	}
	if (fd >= 0)
		close(fd);
	return o.cut ? NBD_E_IO : NBD_OK;
}

static void up_one(void *ctx, const struct link *l)
{
	struct nbd_diag d;

	(void)ctx;
	if (!l->loopback && !l->up && link_up(l->index, &d))
		say("%s", d.text);
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

int ip_up(const struct ip_config *ip, struct nbd_diag *d)
{
	struct link l;
	int rc;

	if (ip->host[0] && sethostname(ip->host, strlen(ip->host)))
		say("host name %s: %s", ip->host, strerror(errno));
	rc = write_resolv_conf(ip, d);
	if (rc || !ip->up)
		return rc;
	rc = find_link(ip, &l, d);
	if (rc >= 0 && ip->is_static)
		rc = configure(ip, rc, d);
	if (rc >= 0)
		note("%s is up", l.name);
	return rc < 0 ? rc : NBD_OK;
}
