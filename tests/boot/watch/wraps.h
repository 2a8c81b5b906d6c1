/* SPDX-License-Identifier: BSD-2-Clause */
/* What a watcher under test does not do to its own process. */
#ifndef TESTS_BOOT_WATCH_WRAPS_H
#define TESTS_BOOT_WATCH_WRAPS_H

#include "port/linux/netlink.h"

int __wrap_watch_uevent_open(struct nl_sock *s, struct nbd_diag *d);
bool __wrap_watch_uevent_is_nbd(struct nl_sock *s);
int __wrap_watch_takeover(int index, struct nbd_diag *d);
void __wrap_boot_confine(uint32_t keep);
void __wrap_boot_harden(void);
void __wrap_boot_log_to_kernel(void);
void __wrap_boot_ready_tell(void);

#endif
