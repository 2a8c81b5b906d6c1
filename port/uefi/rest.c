/* SPDX-License-Identifier: BSD-2-Clause */
#include "port/uefi/rest.h"

#include "port/port.h"
#include "port/uefi/uefi.h"

#define QUIET_MS 100

void efi_rest(struct efi_rest *r)
{
	uint64_t now = nbd_now_ms();

	if (!r->since)
		r->since = now;
	if (now - r->since >= QUIET_MS)
		efi_halt();
}
