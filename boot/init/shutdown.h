/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shutdown.  No process that runs from a root on the network can unmount
 * it, so a copy of this program waits in RAM.  systemd-shutdown(8) or another
 * process 1 executes it at the end.
 */
#ifndef BOOT_INIT_SHUTDOWN_H
#define BOOT_INIT_SHUTDOWN_H

#include <stdbool.h>

#include "port/port.h"

/* A file system of its own, because /run may be mounted noexec. */
#define SHUTDOWN_HOME "/run/initramfs"

/*
 * Before the root switch: puts this program into SHUTDOWN_HOME, as "shutdown",
 * with its mount points.
 */
int init_shutdown_prepare(struct nbd_diag *d);

/*
 * Copies a file, with that mode.  Returns 0, or NBD_E_IO and errno: then an older
 * copy stays.
 */
int init_shutdown_copy(const char *from, const char *to, unsigned mode);

/* What comes in the place of a reboot. */
struct shutdown_next {
	/*
	 * Ends what is left of the old system, before /run is left.  home:
	 * SHUTDOWN_HOME, "" if it is the root already; verb_is_reboot: else
	 * boot() is not possible.  True: boot() is to follow.
	 */
	bool (*end)(const char *home, bool verb_is_reboot);
	/* When everything is unmounted.  Does not return. */
	void (*boot)(void);
};

/*
 * As process 1: leaves the old root, unmounts everything, disconnects each nbd
 * device that is no longer in use, or all if nothing is mounted and there is no
 * swap, and does what verb says: reboot, poweroff, halt, kexec, exit
 * (poweroff).  Does so even if something cannot be unmounted, or the server is
 * gone: 40 s after the last progress in writing, and 3 s after a disconnect
 * that is not acknowledged.  next: NULL, or what may follow.  Returns 2, after a message, if it is not process 1 or the
 * verb is not known.
 */
int init_shutdown(const char *verb, const struct shutdown_next *next);

#endif
