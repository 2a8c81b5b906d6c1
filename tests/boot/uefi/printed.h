/* SPDX-License-Identifier: BSD-2-Clause */
/* What firmware shows, for tests of it: the latest call. */
#ifndef TESTS_BOOT_UEFI_PRINTED_H
#define TESTS_BOOT_UEFI_PRINTED_H

#include "port/text.h"
#include "port/uefi/uefi.h"

static char printed[512];

void efi_print(const char *fmt, ...)
{
	struct nbd_out o = { .buf = printed, .cap = sizeof(printed) - 1 };
	va_list ap;

	va_start(ap, fmt);
	nbd_vputf(&o, fmt, ap);
	va_end(ap);
	printed[o.len] = '\0';
}

#endif
