/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware: start, handles, memory, errors. */
#include "port/uefi/uefi.h"

#include <string.h>

struct efi_world efi;

#if defined(__x86_64__)
static uint64_t ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

#define INTERRUPTS 0x200u

void efi_halt(void)
{
	uint64_t flags;

	__asm__ volatile("pushfq; popq %0" : "=r"(flags)::"memory");
	if (flags & INTERRUPTS)
		__asm__ volatile("hlt" ::: "memory");
}
#else
static uint64_t ticks(void)
{
	uint64_t n;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(n)::"memory");
	return n;
}

/* An interrupt that is masked ends it as well. */
void efi_halt(void)
{
	__asm__ volatile("wfi" ::: "memory");
}
#endif

/*
 * A Stall that the host of a virtual machine preempts is too long, never too
 * short: the shortest of several counts.
 */
static void calibrate(void)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t begin = ticks(), took;

		efi.bs->stall(1000);
		took = ticks() - begin;
		if (took < best)
			best = took;
	}
	efi.ticks_per_ms = best ? best : 1;
	efi.start = ticks();
}

uint64_t nbd_now_ns(void)
{
	uint64_t n = ticks() - efi.start;

	return n / efi.ticks_per_ms * 1000000 +
	       n % efi.ticks_per_ms * 1000000 / efi.ticks_per_ms;
}

efi_status efi_init(efi_handle image, struct efi_system *st)
{
	efi.image = image;
	efi.st = st;
	efi.bs = st->bs;
	efi.rt = st->rt;
	calibrate();
	/* the boot manager's watchdog would end a pause after 5 minutes */
	efi.bs->set_watchdog(0, 0, 0, NULL);
	efi.self = efi_protocol(image, &efi_guid_loaded_image);
	return efi.self ? EFI_SUCCESS : EFI_LOAD_ERROR;
}

void *efi_protocol(efi_handle h, const struct efi_guid *g)
{
	void *p = NULL;

	return h && !efi.bs->handle_protocol(h, g, &p) ? p : NULL;
}

size_t efi_handles(const struct efi_guid *g, efi_handle **list)
{
	size_t n = 0;

	*list = NULL;
	return efi.bs->locate_handles(EFI_BY_PROTOCOL, g, NULL, &n, list) ? 0
									  : n;
}

void efi_free(void *p)
{
	if (p)
		efi.bs->free_pool(p);
}

static size_t pages_of(size_t bytes)
{
	return bytes / EFI_PAGE + !!(bytes % EFI_PAGE);
}

void *efi_pages(size_t bytes)
{
	uint64_t at = 0;

	return efi.bs->allocate_pages(EFI_ANY_PAGES, EFI_LOADER_DATA,
				      pages_of(bytes), &at)
		       ? NULL
		       : (void *)(uintptr_t)at;
}

void efi_free_pages(void *p, size_t bytes)
{
	if (p)
		efi.bs->free_pages((uint64_t)(uintptr_t)p, pages_of(bytes));
}

static const struct {
	uint8_t status; /* without the error bit; words: 104 bytes more */
	int8_t err;
	const char *text;
} statuses[] = {
	{ (uint8_t)EFI_LOAD_ERROR, NBD_E_IO, "it cannot be loaded" },
	{ (uint8_t)EFI_INVALID_PARAMETER, NBD_E_PARAM, "invalid parameter" },
	{ (uint8_t)EFI_ERROR(3u), NBD_E_NOT_OFFERED, "not supported" },
	{ (uint8_t)EFI_BUFFER_TOO_SMALL, NBD_E_NO_MEMORY, "too large" },
	{ (uint8_t)EFI_NOT_READY, NBD_E_AGAIN, "not ready" },
	{ (uint8_t)EFI_DEVICE_ERROR, NBD_E_IO, "the device failed" },
	{ (uint8_t)EFI_OUT_OF_RESOURCES, NBD_E_NO_MEMORY, "out of memory" },
	{ (uint8_t)EFI_NOT_FOUND, NBD_E_NOT_FOUND, "not found" },
	{ (uint8_t)EFI_ACCESS_DENIED, NBD_E_IO, "access denied" },
	{ (uint8_t)EFI_TIMEOUT, NBD_E_TIMEOUT, "no answer in time" },
	{ (uint8_t)EFI_ERROR(20u), NBD_E_IN_USE, "in use by another program" },
	{ (uint8_t)EFI_ABORTED, NBD_E_INTERRUPTED, "aborted" },
	{ (uint8_t)EFI_SECURITY, NBD_E_IO, "forbidden" },
};
#define STATUSES (sizeof(statuses) / sizeof(statuses[0]))

int efi_error(efi_status s)
{
	if (!s)
		return NBD_OK;
	for (size_t i = 0; i < STATUSES; i++)
		if (EFI_ERROR(statuses[i].status) == s)
			return statuses[i].err;
	return NBD_E_IO;
}

const char *efi_text(efi_status s)
{
	for (size_t i = 0; i < STATUSES; i++)
		if (EFI_ERROR(statuses[i].status) == s)
			return statuses[i].text;
	return "the firmware failed";
}
