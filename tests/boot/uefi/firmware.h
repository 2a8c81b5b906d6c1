/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of firmware for tests that need none of what they do. */
#ifndef TESTS_BOOT_UEFI_FIRMWARE_H
#define TESTS_BOOT_UEFI_FIRMWARE_H

#include "port/uefi/uefi.h"

void efi_free_pages(void *p, size_t bytes)
{
	(void)p, (void)bytes;
}

int efi_path_add(void *to, size_t cap, const struct efi_path *base,
		 unsigned type, unsigned subtype, const void *data, size_t len)
{
	(void)to, (void)cap, (void)base, (void)type, (void)subtype;
	(void)data, (void)len;
	return 0;
}

void efi_print(const char *fmt, ...)
{
	(void)fmt;
}

int efi_error(efi_status s)
{
	return s ? NBD_E_IO : 0;
}

const char *efi_text(efi_status s)
{
	(void)s;
	return "";
}

#endif
