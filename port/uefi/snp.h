/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network interface of the firmware, EFI_SIMPLE_NETWORK, as nbd_ether.  A
 * device of virtio behind it is driven by ourselves.
 */
#ifndef PORT_UEFI_SNP_H
#define PORT_UEFI_SNP_H

#include "port/ether.h"
#include "port/uefi/rest.h"
#include "port/uefi/virtio.h"

/*
 * Frames that the interface may hold.  e1000 with iPXE's ROM fails at 32.
 */
#define EFI_SNP_FRAMES 16u
#define EFI_SNP_FRAME  9216u

/* The caller's memory; efi_snp_open() sets everything but idle and ctx. */
struct efi_snp {
	struct nbd_ether e;
	efi_handle nic;
	struct efi_network *p;
	unsigned char *frames; /* EFI_SNP_FRAMES and one of EFI_SNP_FRAME bytes */
	unsigned first, last; /* numbers of those that are with the interface */
	bool exclusive;
	struct efi_virtio *virtio; /* NULL: the firmware drives it */
	struct efi_rest rest;
	void (*idle)(void *ctx); /* called while nothing arrives */
	void *ctx;
};

/*
 * Takes the interface on nic away from the firmware's own drivers (PXE's
 * addresses and files are gone afterwards) and starts it.
 */
int efi_snp_open(struct efi_snp *s, efi_handle nic, struct nbd_diag *d);
/*
 * The firmware ends: what we drive ourselves writes to memory no more.  The
 * firmware stops what it drives.
 */
void efi_snp_exit(struct efi_snp *s);
/* Stops it, and gives it back to the firmware's drivers. */
void efi_snp_close(struct efi_snp *s);

#endif
