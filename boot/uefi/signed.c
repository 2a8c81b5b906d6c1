/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/uefi/signed.h"

#include "boot/uefi/pe.h"
#include "port/uefi/uefi.h"

#define REMEDY "Secure Boot is on (sign one image that has it, as of make uki)"

/* UEFI 2.10, 3.3. */
static bool is_on(void)
{
	uint8_t on = 0;
	size_t len = sizeof(on);

	return !efi.rt->get_variable(u"SecureBoot", &efi_guid_global, NULL,
				     &len, &on) &&
	       on == 1;
}

int uefi_signed_initrd(const struct boot_conf *c, struct nbd_diag *d)
{
	if (!c->initrds || !is_on())
		return NBD_OK;
	return nbd_diag(d, NBD_E_PERM,
			"initrd=%s: nobody has signed it, and " REMEDY,
			c->initrd[0]);
}

int uefi_signed_words(const struct efi_loaded_image *image, const char *options,
		      struct nbd_diag *d)
{
	if (!*options || !is_on() ||
	    (image && !uefi_pe_obeys(image->base, (size_t)image->size)))
		return NBD_OK;
	return nbd_diag(d, NBD_E_PERM,
			"nobody has signed its command line, and " REMEDY);
}
