/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a reroot, in process 1: the old system is shut down, and instead
 * of a reboot the boot runs again, for another root.
 *
 *	before    proof -> files in SHUTDOWN_HOME -> reboot of the old system
 *	shutdown  unmount, disconnect -> files there? -> boot of the new root
 *	                                                  ^       v fails
 *	                                                  old root again
 */
#ifndef BOOT_REROOT_AFTER_H
#define BOOT_REROOT_AFTER_H

#include "boot/init/shutdown.h"

/*
 * The words of the new root, and those of the old one for the way back, in
 * SHUTDOWN_HOME.  Each is a kernel command line.  Where root= is the path of a
 * device, that device of this machine is the root.
 */
#define REROOT_NEW "reroot.new"
#define REROOT_OLD "reroot.old"
/* Commands that end the old system, one a line, if its process 1 did not. */
#define REROOT_END "reroot.end"

/* A reroot leaves its words there for the next one. */
#define REROOT_LINE "/run/nbdboot/cmdline"

/*
 * For `nbdboot shutdown`: with the files of the words it boots the new root, or
 * the old one if that fails, and so on in turn.
 */
extern const struct shutdown_next reroot_after;

/*
 * As process 1, which was the old system's, in the old root: runs the commands
 * of the file in SHUTDOWN_HOME by /bin/sh, if a reroot has left it there.  They
 * can neither reboot the machine nor change its network.
 */
void reroot_after_end(void);

#endif
