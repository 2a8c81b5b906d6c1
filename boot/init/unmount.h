/* SPDX-License-Identifier: BSD-2-Clause */
/* Unmounts everything that can be unmounted. */
#ifndef BOOT_INIT_UNMOUNT_H
#define BOOT_INIT_UNMOUNT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Unmounts the entries of /proc/self/mountinfo, the latest first, and repeats
 * that as long as it helps; spares /, /dev, /proc and /sys, and without
 * `kernel` also the mounts below these.  With `last` the remaining mounts are
 * reported, and made read-only so that their data is written.  Returns how many
 * remain.  Blocks while data is written.
 */
unsigned init_unmount_all(bool last, bool kernel);

/*
 * Takes the last line, which ends with a newline, from text[0..*len) and
 * returns its mount point (proc(5): field 5, with \040 for a blank); *len
 * becomes the length of the text before it.  A piece after the last newline is
 * dropped.  NULL: no more lines; "": a line without a mount point.
 */
char *init_unmount_next(char *text, size_t *len);

#endif
