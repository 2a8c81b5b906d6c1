/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processor rests while nothing arrives.  Bulk data come without a break, and
 * whoever looks for them again at once gets them sooner; but in an outage a
 * machine would work in vain for hours, and a virtual one take a processor of its
 * host.
 */
#ifndef PORT_UEFI_REST_H
#define PORT_UEFI_REST_H

#include "port/uefi/efi.h"

#define EFI_REST_MS 10

/* All zeros at first. */
struct efi_rest {
	efi_event timer;
	uint64_t since; /* ms, from when on nothing arrived; 0: not known */
};

/* Something has arrived. */
static inline void efi_rest_over(struct efi_rest *r)
{
	r->since = 0;
}

/*
 * Nothing has, and the caller has nothing to do.  Returns at once until that was so
 * for 100 ms, and then after about EFI_REST_MS, in which the firmware may halt the
 * processor; still at once at a raised TPL, and where there is no event to be had
 * (UEFI 2.10, 7.1, EFI_BOOT_SERVICES.WaitForEvent()).
 */
void efi_rest(struct efi_rest *r);
/* Gives back what it has taken. */
void efi_rest_end(struct efi_rest *r);

#endif
