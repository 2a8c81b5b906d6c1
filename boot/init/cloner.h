/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot.clone=: what the boot has of it. */
#ifndef BOOT_INIT_CLONER_H
#define BOOT_INIT_CLONER_H

#include "port/port.h"

/*
 * In a process that init has started: tells it that this one is ready, and waits
 * until the real init runs, and has read nothing of the mapping of nbdN for a
 * while.  Then it has /dev, /proc and /sys of its own, as those of the initramfs
 * belong to the real root now.  False: is_stopped().
 */
bool init_cloner_await(int index, bool (*is_stopped)(unsigned ms));

#endif
