/* SPDX-License-Identifier: BSD-2-Clause */
#include "port/uefi/rest.h"

#include "port/port.h"
#include "port/uefi/uefi.h"

/* ms without a frame, until the timer of a try, and for it. */
#define QUIET_MS 100
#define TRY_MS	 20
#define MOST_MS	 150

static void notify(efi_event event, void *ctx)
{
	(void)event;
	*(volatile bool *)ctx = true;
}

/*
 * Does an interrupt come, which would end a halt?  Then the firmware calls back from
 * it.  U-Boot has none: there a timer's time comes when the firmware is called,
 * which does not happen here.
 */
static bool is_interrupted(void)
{
	volatile bool came = false;
	uint64_t end = nbd_now_ms() + MOST_MS;
	efi_event e;
	bool here;

	if (efi.bs->create_event(EFI_EVENT_TIMER | EFI_EVENT_SIGNAL,
				 EFI_TPL_NOTIFY, notify, (void *)&came, &e))
		return false;
	if (!efi.bs->set_timer(e, EFI_TIMER_RELATIVE, TRY_MS * 10000))
		while (!came && nbd_now_ms() < end)
			;
	here = came; /* before the next call */
	efi.bs->close_event(e);
	return here;
}

void efi_rest(struct efi_rest *r)
{
	uint64_t now = nbd_now_ms();

	if (!r->since)
		r->since = now;
	if (now - r->since < QUIET_MS || efi.ends)
		return;
	if (!r->tried) {
		r->tried = true;
		r->halts = is_interrupted();
	}
	if (r->halts)
		efi_halt();
}
