/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits that nobody can guess: EFI_RNG_PROTOCOL, else the jitter of the clock. */
#include "port/uefi/uefi.h"

struct rng {
	void *info;
	efi_status (*get)(struct rng *, const struct efi_guid *algorithm,
			  size_t len, void *to);
};

static const struct efi_guid rng = { 0x3152bca5,
				     0xeade,
				     0x433d,
				     { 0x86, 0x2e, 0xc0, 0x1c, 0xdc, 0x29, 0x1f,
				       0x44 } };

/* A few bits of each Stall are random; FNV-1a spreads them. */
static void by_jitter(unsigned char *to, size_t len)
{
	uint64_t h = 0xcbf29ce484222325u ^ (uintptr_t)to ^ efi.ticks_per_ms;

	for (size_t i = 0; i < len; i++) {
		for (int k = 0; k < 4; k++) {
			efi.bs->stall(1);
			h = (h ^ nbd_now_ns()) * 0x100000001b3u;
		}
		to[i] = (unsigned char)(h >> 40);
	}
}

bool efi_rng(void *to, size_t len)
{
	struct rng *r;

	return !efi.bs->locate(&rng, NULL, (void **)&r) &&
	       !r->get(r, NULL, len, to);
}

void efi_random(void *to, size_t len)
{
	if (!efi_rng(to, len))
		by_jitter(to, len);
}
