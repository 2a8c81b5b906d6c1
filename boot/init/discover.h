/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The root on a disk whose root= names no partition: the one that the table
 * marks (the UAPI group's Discoverable Partitions Specification), or else the
 * only one of Linux.
 */
#ifndef BOOT_INIT_DISCOVER_H
#define BOOT_INIT_DISCOVER_H

#include <stdbool.h>

#include "boot/init/part.h"
#include "boot/words/root.h"

/*
 * Writes the path of the block device that holds the root r on `disk` ("nbd0"):
 * that of init_part_find() if r names a partition, or the disk has a file
 * system.  *read_only: it was found in the table, which marks it so.  Returns 0,
 * the errors of init_part_find(), or NBD_E_NOT_FOUND after it has printed what
 * partitions there are.
 */
#ifdef CONFIG_BOOT_DISCOVER

int init_discover(char path[PART_PATH], const char *sys, const char *dev,
		  const char *disk, const struct root_spec *r, bool *read_only,
		  struct nbd_diag *d);

#else

static inline int init_discover(char path[PART_PATH], const char *sys,
				const char *dev, const char *disk,
				const struct root_spec *r, bool *read_only,
				struct nbd_diag *d)
{
	*read_only = false;
	return init_part_find(path, sys, dev, disk, r->part, d);
}

#endif
#endif
