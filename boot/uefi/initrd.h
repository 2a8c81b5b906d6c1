/* SPDX-License-Identifier: BSD-2-Clause */
/* Archives, one after the other, for the kernel's EFI stub. */
#ifndef BOOT_UEFI_INITRD_H
#define BOOT_UEFI_INITRD_H

#include "boot/words/conf.h"
#include "boot/uefi/input.h"

struct uefi_initrds {
	struct efi_load_file2 load; /* first: it is found by its address */
	efi_handle handle;	    /* NULL: there are none */
	uint64_t path[4];
	uint64_t size; /* of all, padded */
	unsigned n;
	struct uefi_input file[CONF_INITRDS];
};

/*
 * Opens the files of initrd= and offers them to the kernel.  NBD_E_NO_MEMORY:
 * the memory does not hold all of them in one piece.
 */
int uefi_initrd_add(struct uefi_initrds *initrds, const struct boot_conf *c,
		    struct uefi_program *p, struct nbd_diag *d);
void uefi_initrd_remove(struct uefi_initrds *initrds);

#endif
