/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processor rests while nothing arrives.  Bulk data come without a break, and
 * whoever looks for them again at once gets them sooner; but in an outage a
 * machine would work in vain for hours, and a virtual one take a processor of its
 * host.
 */
#ifndef PORT_UEFI_REST_H
#define PORT_UEFI_REST_H

#include <stdbool.h>
#include <stdint.h>

/* The timer of most firmware, which ends a rest. */
#define EFI_REST_MS 10

/* All zeros at first. */
struct efi_rest {
	uint64_t since; /* ms, from when on nothing arrived; 0: not known */
	bool tried;	/* whether an interrupt comes */
	bool halts;	/* one does */
};

/* Something has arrived. */
static inline void efi_rest_over(struct efi_rest *r)
{
	r->since = 0;
}

/*
 * Nothing has, and the caller has nothing to do.  Returns at once until that was so
 * for 100 ms, and then after an efi_halt(); at once, too, where no interrupt would
 * end that, which is tried once, for 150 ms at most: in U-Boot, and when the
 * firmware ends.
 */
void efi_rest(struct efi_rest *r);

#endif
