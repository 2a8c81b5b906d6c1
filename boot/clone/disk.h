/* SPDX-License-Identifier: BSD-2-Clause */
/* A block device of the machine that is to be written to. */
#ifndef BOOT_CLONE_DISK_H
#define BOOT_CLONE_DISK_H

#include "port/port.h"

#define CLONE_PATH 64
#define CLONE_HOLD 256

struct clone_disk {
	char path[CLONE_PATH]; /* "/dev/vda": set by the caller */
	char number[24];       /* "254:0" */
	char name[CLONE_PATH]; /* the kernel's, where the path is a link: "vda" */
	int fd;		       /* -1: it is closed */
	uint64_t size;	       /* bytes */
};

/* The name in /sys/class/block of the device with this number, or "". */
void clone_name_of(const char *number, char name[CLONE_PATH]);

/*
 * Opens it to read and write, with more flags of open(2): O_EXCL refuses one that
 * is mounted, is swap, or a part of another device.  NBD_E_IN_USE,
 * NBD_E_NOT_FOUND, NBD_E_PERM, NBD_E_IO.
 */
int clone_disk_open(struct clone_disk *disk, int flags, struct nbd_diag *d);
void clone_disk_close(struct clone_disk *disk);

/*
 * May it be written to, and does it take any block of the mapping ("dm-0")?
 * NBD_E_PERM, NBD_E_USAGE.
 */
int clone_disk_check(const struct clone_disk *disk, const char *mapping,
		     struct nbd_diag *d);

/* Zeroes from byte `at` up to `end`. */
int clone_disk_wipe(const struct clone_disk *disk, uint64_t at, uint64_t end,
		    struct nbd_diag *d);

/* Returns NBD_E_IO, with errno as the reason: "VERB /dev/vda: ...". */
int clone_disk_failed(const struct clone_disk *disk, const char *verb,
		      struct nbd_diag *d);

#endif
