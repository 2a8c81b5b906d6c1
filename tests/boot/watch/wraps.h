/* SPDX-License-Identifier: BSD-2-Clause */
/* What a watcher under test does not do to its own process. */
#ifndef TESTS_BOOT_WATCH_WRAPS_H
#define TESTS_BOOT_WATCH_WRAPS_H

#include "boot/watch/liar.h"
#include "port/linux/netlink.h"

int __wrap_watch_uevent_open(struct nl_sock *s, struct nbd_diag *d);
bool __wrap_watch_uevent_is_nbd(struct nl_sock *s,
				void (*other)(void *ctx, const char *text,
					      size_t n),
				void *ctx);
int __wrap_watch_liar_open(struct watch_liar *l, int devices);
int __wrap_watch_takeover(int index, struct nbd_diag *d);

#endif
