/* SPDX-License-Identifier: BSD-2-Clause */
/* From the initramfs to the real root. */
#ifndef BOOT_INIT_SWITCH_H
#define BOOT_INIT_SWITCH_H

#include <stdbool.h>

#include "port/port.h"

/*
 * Makes newroot the root of this process, empties the initramfs, and executes
 * init_argv[0], which is a path inside newroot; init_argv ends with NULL.
 * last(ctx), unless NULL, runs in the new root before that.
 *
 * enter(), unless NULL, runs in newroot, as the working directory, which it makes
 * the root; false: it cannot, and the mount moves.
 *
 * console is the path in the new root to open as standard input, output and
 * error ("/dev/console"); NULL: the descriptors stay.  Must be process 1.
 *
 * Everything that can be checked is checked before the first change.  Then the
 * mounts of /dev, /proc, /sys and /run move, and move back if the root cannot
 * be switched.  Only then is the initramfs deleted.  Returns only on a failure,
 * with d naming the step.  NBD_E_IO: too late, the initramfs is deleted
 * already.  Every other error: nothing has changed.
 */
int init_switch_root(const char *console, const char *newroot,
		     char *const init_argv[], bool (*enter)(void),
		     void (*last)(void *ctx), void *ctx, struct nbd_diag *d);

/* Makes only the checks: would init_switch_root() accept newroot? */
int init_switch_check(const char *newroot, const char *init,
		      struct nbd_diag *d);

/*
 * Deletes everything in the directory dirfd, but nothing on another device:
 * mounts below it stay, with the directories that lead there.  Closes dirfd.
 */
void init_switch_empty(int dirfd);

#endif
