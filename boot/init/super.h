/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of a block device: the file system by its superblock, partitions
 * by their table.  All accesses are bytewise and bounded, because the data on
 * the device is not trusted.
 */
#ifndef BOOT_INIT_SUPER_H
#define BOOT_INIT_SUPER_H

#include <stddef.h>
#include <stdint.h>

#include "port/port.h"

#define SUPER_UUID 37 /* bytes of its text, with a NUL */

struct super {
	const char *type;      /* "ext4", "xfs", ... as mount(2) wants it */
	char label[260];       /* "" if there is none */
	char uuid[SUPER_UUID]; /* lower case; vfat: "1a2b-3c4d"; "" if none */
};

/* The known file systems, for messages. */
#define SUPER_TYPES "ext4, xfs, btrfs, f2fs, squashfs, erofs, vfat"

/* The i-th type to look for, some of them several times; NULL: the end. */
const char *init_super_type(unsigned i);

/*
 * Examines the device or image fd.  Returns 0, NBD_E_NOT_FOUND if it has no
 * known file system, or NBD_E_IO.  fd's offset is not used.
 */
int init_super_read(struct super *s, int fd);

/*
 * One btrfs may lie on several devices, of which any can be mounted.  Is s of
 * the btrfs whose UUID is in first?  If first is "" and s is a btrfs, its UUID
 * is put there.
 */
bool init_super_is_again(const struct super *s, char first[SUPER_UUID]);

/* Fills buf from `at` on.  Returns 1, 0 if fd ends before, or NBD_E_IO. */
int init_super_bytes(int fd, void *buf, size_t len, uint64_t at);

/*
 * The number of the partition whose PARTUUID is `uuid` (case is ignored), in
 * the GPT or the MBR of fd: a GPT's unique GUID, or for an MBR "1a2b3c4d-02",
 * as the kernel's root=PARTUUID= has it.  sector is the device's logical
 * block size in bytes.  NBD_E_NOT_FOUND, NBD_E_IO.
 */
int init_super_partuuid(int fd, uint32_t sector, const char *uuid);

#endif
