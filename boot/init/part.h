/* SPDX-License-Identifier: BSD-2-Clause */
/* Which partition of the disk holds the root: nbdboot.part=. */
#ifndef BOOT_INIT_PART_H
#define BOOT_INIT_PART_H

#include <stddef.h>

#include "port/port.h"

/* Room for "/dev/mapper/" and the longest name of a mapping. */
#define PART_PATH 140

/*
 * Writes the path of the block device that `spec` names on `disk` ("nbd0"):
 * NULL names the disk itself, "2" its second partition, "PARTUUID=..." and
 * "PARTLABEL=..." the partition with that entry in the table, "LABEL=..." and "UUID=..." the one
 * with that file system, which may also be the disk itself.  sys and dev are
 * "/sys/block" and "/dev".  Returns 0, NBD_E_USAGE for any other spec and for one
 * that fits several partitions, NBD_E_NOT_FOUND or NBD_E_IO.
 */
int init_part_find(char path[PART_PATH], const char *sys, const char *dev,
		   const char *disk, const char *spec, struct nbd_diag *d);

/* Checks that spec, which is not NULL, has such a form.  0 or NBD_E_USAGE. */
int init_part_check(const char *spec, struct nbd_diag *d);

#endif
