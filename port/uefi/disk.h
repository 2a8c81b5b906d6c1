/* SPDX-License-Identifier: BSD-2-Clause */
/* A disk for the firmware: EFI_BLOCK_IO and EFI_BLOCK_IO2 on a handle. */
#ifndef PORT_UEFI_DISK_H
#define PORT_UEFI_DISK_H

#include "port/uefi/uefi.h"

#define EFI_DISK_PATH 1536u

struct efi_disk {
	/* The caller sets these. */
	uint64_t size;	/* bytes, a multiple of block */
	uint32_t block; /* bytes, a power of 2 from 512 to 65536 */
	bool read_only;
	/*
	 * NBD_CMD_READ, NBD_CMD_WRITE or NBD_CMD_FLUSH; the range is checked.
	 * Called at EFI_TPL_CALLBACK or below.
	 */
	efi_status (*run)(struct efi_disk *, unsigned type, uint64_t offset,
			  void *buf, size_t len);

	/* private */
	struct efi_block_io io;
	struct efi_block_io2 io2;
	struct efi_media media;
	efi_handle handle; /* NULL: not there */
	uint64_t path[EFI_DISK_PATH / 8];
};

/*
 * Adds the disk behind the interface's path, and lets the firmware find its
 * partitions and file systems.
 */
int efi_disk_add(struct efi_disk *, const struct efi_path *nic, const char *uri,
		 struct nbd_diag *d);
void efi_disk_remove(struct efi_disk *);

const struct efi_path *efi_disk_path(const struct efi_disk *);

#endif
