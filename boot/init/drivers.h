/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel modules for the hardware that is there. */
#ifndef BOOT_INIT_DRIVERS_H
#define BOOT_INIT_DRIVERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "port/port.h"

/*
 * Starts the child *pid, unless it is there (> 0), which loads the module of
 * each device that turns up from now on (behind a bus's driver, or late: USB),
 * as the kernel announces it, until init_drivers_unwatch().  With `links` it
 * brings up each network interface that turns up.  Comes before
 * init_drivers_load(), so that none is missed.
 */
void init_drivers_watch(pid_t *pid, bool links);
void init_drivers_unwatch(pid_t *pid);

/*
 * Loads the module of every device that sysfs shows; if nobody watches, again
 * and again until no new device turns up.  A device without a module, or with
 * one that does not load, is no failure: which driver matters shows later,
 * when no interface comes up.  Returns the number of devices.
 */
int init_drivers_load(bool watched);

#endif
