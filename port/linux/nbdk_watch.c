/* SPDX-License-Identifier: BSD-2-Clause */
/* The event of the nbd driver: NBD_CMD_LINK_DEAD { INDEX }. */
#include "port/linux/nbdk_watch.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/nbd-netlink.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

int nbdk_watch_open(struct nbdk_watch *w, struct nbd_diag *d)
{
	uint32_t group = 0;
	int family, err = nl_open(&w->nl, NETLINK_GENERIC, 0, d);

	if (err)
		return err;
	family = nl_family(&w->nl, NBD_GENL_FAMILY_NAME,
			   NBD_GENL_MCAST_GROUP_NAME, &group, d);
	if (family < 0) {
		err = family;
		goto err_close;
	}
	w->family = (unsigned)family;
	if (!setsockopt(w->nl.fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group,
			sizeof(group)))
		return 0;
	err = nbd_diag(d, NBD_E_KERNEL, "listen to the nbd driver: %s",
		       strerror(errno));
err_close:
	nl_close(&w->nl);
	return err;
}

static int read_dead(const struct nbdk_watch *w, const struct nl_reply *r)
{
	struct nl_attr a;

	if (r->type != w->family || r->len < GENL_HDRLEN ||
	    r->data[0] != NBD_CMD_LINK_DEAD ||
	    !nl_find(r->data, r->len, GENL_HDRLEN, NBD_ATTR_INDEX, &a))
		return -1;
	return (int)nl_num(&a);
}

int nbdk_watch_read(struct nbdk_watch *w, void (*fn)(void *ctx, int index),
		    void *ctx)
{
	struct nl_reply r;
	struct nl_walk walk;
	int n;

	while ((n = nl_hear(&w->nl, MSG_DONTWAIT)) > 0) {
		walk = (struct nl_walk){ w->nl.buf, (size_t)n };
		while (nl_next_msg(&walk, &r)) {
			int index = read_dead(w, &r);

			if (index >= 0)
				fn(ctx, index);
		}
	}
	return n == NBD_E_AGAIN ? 0 : n ? NBD_E_IO : NBD_E_NO_MEMORY;
}

void nbdk_watch_close(struct nbdk_watch *w)
{
	nl_close(&w->nl);
}
