/* SPDX-License-Identifier: BSD-2-Clause */
/* Which part of the disk is the root: nbdboot.part=. */
#ifndef BOOT_INIT_PART_H
#define BOOT_INIT_PART_H

#include <stddef.h>

#include "port/port.h"

/* Room for "/dev/nbd1048575p255". */
#define PART_PATH 64

/*
 * Writes the path of the block device that `spec` means on `disk` ("nbd0"):
 * NULL is the disk itself, "2" its second partition, "PARTUUID=..." one by
 * its table's entry, "LABEL=..." and "UUID=..." one by its file system, which
 * may also lie on the disk itself.  sys and dev are "/sys/block" and "/dev".
 * Returns 0, NBD_E_USAGE for another spec, NBD_E_NOT_FOUND or NBD_E_IO.
 */
int init_part_find(char path[PART_PATH], const char *sys, const char *dev,
		   const char *disk, const char *spec, struct nbd_diag *d);

/* Is spec, not NULL, one that can be looked for?  0 or NBD_E_USAGE. */
int init_part_check(const char *spec, struct nbd_diag *d);

#endif
