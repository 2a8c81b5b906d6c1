/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel modules for the hardware that is there. */
#ifndef BOOT_INIT_DRIVERS_H
#define BOOT_INIT_DRIVERS_H

#include <stdbool.h>

#include "port/port.h"

/*
 * Starts a process that loads the module of each device that turns up from
 * now on (behind a bus's driver, or late: USB), as the kernel announces it,
 * until init_drivers_unwatch().  With `links` it brings up each network interface
 * that turns up.  Comes before init_drivers_load(), so that none is missed.
 */
void init_drivers_watch(bool links);
void init_drivers_unwatch(void);

/*
 * Loads the module of every device that sysfs shows; without a watcher again
 * and again until no new device turns up.  A device without a module, or with
 * one that does not load, is no failure: which driver matters is seen later,
 * when no interface comes up.  Returns how many devices were looked at.
 */
int init_drivers_load(void);

#endif
