/* SPDX-License-Identifier: BSD-2-Clause */
/* A timer of the firmware, for which it waits with a processor that is halted. */
#include "port/uefi/rest.h"

#include "port/port.h"
#include "port/uefi/uefi.h"

#define QUIET_MS 100

void efi_rest(struct efi_rest *r)
{
	uint64_t now = nbd_now_ms();
	size_t which;

	if (!r->since)
		r->since = now;
	if (now - r->since < QUIET_MS)
		return;
	if (!r->timer &&
	    efi.bs->create_event(EFI_EVENT_TIMER, 0, NULL, NULL, &r->timer)) {
		r->timer = NULL;
		return;
	}
	if (!efi.bs->set_timer(r->timer, EFI_TIMER_RELATIVE,
			       EFI_REST_MS * 10000))
		efi.bs->wait_for_event(1, &r->timer, &which);
}

void efi_rest_end(struct efi_rest *r)
{
	if (r->timer)
		efi.bs->close_event(r->timer);
	*r = (struct efi_rest){ 0 };
}
