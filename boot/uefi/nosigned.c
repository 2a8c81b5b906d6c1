/* SPDX-License-Identifier: BSD-2-Clause */
/* A build with BOOT_UEFI_UNSIGNED. */
#include "boot/uefi/signed.h"

int uefi_signed_initrd(const struct boot_conf *c, struct nbd_diag *d)
{
	(void)c, (void)d;
	return NBD_OK;
}

int uefi_signed_words(const struct efi_loaded_image *image, const char *options,
		      struct nbd_diag *d)
{
	(void)image, (void)options, (void)d;
	return NBD_OK;
}
