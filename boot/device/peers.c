/* SPDX-License-Identifier: BSD-2-Clause */
/* Which connection is to which server, and the end of one. */
#include "boot/device/device.h"

#include <limits.h>
#include <string.h>

/* The addresses of a server. */
struct peer {
	struct sock_addr at[SOCK_MAX_ADDRS];
	int n;
};

static void find(struct peer *p, const struct device *dev, unsigned server)
{
	p->n = sock_resolve(&dev->b.uris[server], p->at, NULL);
}

static bool is_to(const struct sockdiag_link *l, const struct peer *p)
{
	for (int i = 0; l->live && i < p->n; i++) {
		const struct sock_addr *a = &p->at[i];

		if (nbd_ip_same(&l->peer, &a->host) && l->peer_port == a->port)
			return true;
	}
	return false;
}

unsigned device_emptiest(const struct device *dev)
{
	unsigned server = 0, least = UINT_MAX;
	struct peer p;

	for (unsigned i = 0; i < dev->b.servers && least; i++) {
		unsigned has = 0;

		find(&p, dev, i);
		for (unsigned j = 0; j < dev->n_links; j++)
			has += is_to(&dev->links[j], &p);
		if (has < least) {
			server = i;
			least = has;
		}
	}
	return server;
}

void device_avoid(struct device *dev, const struct sockdiag_link *l)
{
	struct peer p;

	for (unsigned i = 0; i < dev->b.servers; i++) {
		find(&p, dev, i);
		if (is_to(l, &p))
			device_dialer_late(&dev->dialer, i);
	}
}

/* Can all that live be to that server, and is there one? */
static bool may_have_all(const struct device *dev, unsigned server)
{
	struct peer p;
	bool any = false;

	find(&p, dev, server);
	for (unsigned i = 0; i < dev->n_links; i++) {
		if (dev->links[i].live && !is_to(&dev->links[i], &p))
			return false;
		any |= dev->links[i].live;
	}
	return any;
}

/* Several UNIX sockets look alike here, and so do exports of one server. */
bool device_has_only(const struct device *dev, unsigned server)
{
	for (unsigned i = 0; i < dev->b.servers; i++)
		if (may_have_all(dev, i) != (i == server))
			return false;
	return true;
}

int device_end(struct device *dev, const struct sockdiag_link *l,
	       struct nbd_diag *d)
{
	if (l->family == AF_UNIX)
		return nbd_diag(d, NBD_E_USAGE,
				"the kernel can end TCP connections one by "
				"one, but not those through a UNIX socket");
	return sockdiag_destroy(&dev->diag, l, d);
}

int device_leave(struct device *dev, unsigned server, struct nbd_diag *d)
{
	struct peer p;
	int err = 0;

	device_dialer_shun(&dev->dialer, server);
	if (dev->b.uris[server].is_unix)
		return nbd_diag(d, NBD_E_USAGE,
				"a connection through a UNIX socket cannot be "
				"ended alone");
	find(&p, dev, server);
	for (unsigned i = 0; i < dev->n_links; i++) {
		int one = is_to(&dev->links[i], &p)
				  ? device_end(dev, &dev->links[i], d)
				  : 0;

		/* it may be gone already */
		if (one && one != NBD_E_NOT_FOUND)
			err = one;
	}
	return err;
}
