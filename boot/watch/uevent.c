/* SPDX-License-Identifier: BSD-2-Clause */
/* Uevents: a device was connected, or disconnected. */
#include "boot/watch/watch.h"

#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

int watch_uevent_open(struct nl_sock *s, struct nbd_diag *d)
{
	return nl_open(s, NETLINK_KOBJECT_UEVENT, NL_UEVENTS, d);
}

bool watch_uevent_is_nbd(struct nl_sock *s,
			 void (*other)(void *ctx, const char *text, size_t n),
			 void *ctx)
{
	const char *text = (const char *)s->buf;
	bool found = false;
	int n;

	/* "change@/devices/virtual/block/nbd0"; a lost event may be that */
	while ((n = nl_hear(s, MSG_DONTWAIT)) >= 0) {
		/* normally NUL-terminated already */
		s->buf[n ? n - 1 : 0] = '\0';
		if (!n || strstr(text, "/block/nbd"))
			found = true;
		else if (other)
			other(ctx, text, (size_t)n);
	}
	return found;
}
