/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads kernel modules for the hardware of this machine. */
#ifndef BOOT_INIT_DRIVERS_H
#define BOOT_INIT_DRIVERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "port/port.h"

/* The kernel executes /sbin/modprobe to load modules: provides that. */
void init_drivers_modprobe(void);

/*
 * Starts the child *pid, unless it runs already (> 0).  It loads the module of
 * each device that the kernel announces from now on (behind a bus's driver, or
 * late: USB), until init_drivers_unwatch().  With `links` it also brings up
 * each network interface that appears.  Call it before init_drivers_load(), so
 * that no device is missed.
 */
void init_drivers_watch(pid_t *pid, bool links);
void init_drivers_unwatch(pid_t *pid);

/*
 * Loads the module of every device that sysfs shows.  Unless the child above
 * runs (`watched`), repeats that until no new device appears.  A module that is
 * missing or does not load is no failure: if its device was needed, no
 * interface comes up later, and that is reported.  Returns the number of
 * devices.
 */
int init_drivers_load(bool watched);

/*
 * Loads the driver nbd with one device, unless it is loaded.  Call this before
 * anything else in process 1 may load it, with other parameters.  Errors are
 * ignored: device_attach() loads it again, and reports them.
 */
void init_drivers_nbd(void);

#endif
