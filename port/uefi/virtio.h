/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * virtio-net behind an interface of the firmware, on PCI (virtio specification
 * 1.1, 4.1).  The firmware's own driver (edk2's VirtioNetDxe) notifies the device
 * of each frame that it has taken, which costs more than all else.
 */
#ifndef PORT_UEFI_VIRTIO_H
#define PORT_UEFI_VIRTIO_H

#include "port/uefi/uefi.h"
#include "port/virtio.h"

/* Where a group of registers is: a BAR, bytes from its start, how many. */
struct efi_virtio_area {
	uint32_t bar, at, size; /* size 0: the device has none */
};

struct efi_virtio {
	struct virtio_net net; /* the first: the callbacks cast */
	/* private */
	struct efi_pci *pci;
	/* common, notify and device configuration; by cfg_type (4.1.4) */
	struct efi_virtio_area area[5];
	uint32_t off[2];     /* of each queue: queue_notify_off (4.1.4.3) */
	uint32_t multiplier; /* what that counts, in bytes */
};

/*
 * Takes the device of the interface nic, which the caller has opened
 * exclusively, and which is stopped.  NBD_E_NO_DEVICE: it is no virtio-net device of PCI;
 * NBD_E_IO: it refuses.  In both cases nothing has been set up.
 */
int efi_virtio_open(struct efi_virtio *v, efi_handle nic);

#endif
