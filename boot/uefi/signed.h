/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * With Secure Boot: nobody has signed the words of nbdboot.conf, of a variable or
 * of DHCP, and no initrd=.  A kernel that is signed alone would take both from
 * anybody, so it does not start with them.
 */
#ifndef BOOT_UEFI_SIGNED_H
#define BOOT_UEFI_SIGNED_H

#include "boot/words/conf.h"
#include "port/uefi/protocols.h"

/* NBD_E_PERM: there is an initrd=, and Secure Boot is on. */
int uefi_signed_initrd(const struct boot_conf *c, struct nbd_diag *d);

/*
 * NBD_E_PERM: options is not "", Secure Boot is on, and the image that was loaded
 * obeys them.
 */
int uefi_signed_words(const struct efi_loaded_image *image, const char *options,
		      struct nbd_diag *d);

#endif
