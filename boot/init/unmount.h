/* SPDX-License-Identifier: BSD-2-Clause */
/* Unmounting everything, as far as it goes. */
#ifndef BOOT_INIT_UNMOUNT_H
#define BOOT_INIT_UNMOUNT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Unmounts what /proc/self/mountinfo lists, the latest first, and again as long
 * as that helps; but not / and the mounts below /dev, /proc and /sys.  With
 * `last` the mounts that remain are reported, and made read-only so that their
 * data is written.  Returns how many remain.  Blocks while data is written.
 */
unsigned init_unmount_all(bool last);

/*
 * The last line of text[0..*len), which ends with a newline, becomes its mount
 * point (proc(5): field 5, with \040 for a blank), and *len what is before it;
 * a piece behind the last newline is dropped.  NULL: there are no more lines;
 * "": a line without a mount point.
 */
char *init_unmount_next(char *text, size_t *len);

#endif
