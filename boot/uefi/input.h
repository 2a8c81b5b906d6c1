/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file to be started or passed on: on a volume of the disk, or an export of
 * its own.
 */
#ifndef BOOT_UEFI_INPUT_H
#define BOOT_UEFI_INPUT_H

#include "boot/uefi/session.h"
#include "port/uefi/uefi.h"

struct uefi_program;

struct uefi_input {
	const char *name;
	const char *hash; /* 64 digits, which it has to have; NULL: any */
	uint64_t size;
	efi_handle volume;  /* NULL: an export */
	struct efi_file *f; /* on a volume */
	void *copy;	    /* of uefi_input_keep(), or NULL */
	struct nbd_uri uri; /* of an export */
	char text[512];	    /* its strings */
	struct uefi_session session;
};

/*
 * Opens a path of the first volume of the disk that has it, or connects to the
 * export of a URI.  hash is for uefi_input_read().  Returns 0 or an error with
 * the reason in d.
 */
int uefi_input_open(struct uefi_input *in, struct uefi_program *p,
		    const char *name, const char *hash, struct nbd_diag *d);
/* Reads all of it.  NBD_E_PERM: it is not that of in->hash. */
int uefi_input_read(struct uefi_input *in, void *buf, struct nbd_diag *d);
/* Reads it now, into memory, which is what uefi_input_read() copies then. */
int uefi_input_keep(struct uefi_input *in, struct nbd_diag *d);
void uefi_input_close(struct uefi_input *in);

#endif
