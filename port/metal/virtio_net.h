/* SPDX-License-Identifier: BSD-2-Clause */
/* virtio-net on the memory-mapped transport (virtio specification 1.1, 4.2). */
#ifndef PORT_METAL_VIRTIO_NET_H
#define PORT_METAL_VIRTIO_NET_H

#include "port/port.h"
#include "port/virtio.h"

struct virtio_mmio {
	struct virtio_net net; /* the first: the callbacks cast */
	/* private */
	volatile uint32_t *regs;
};

/* How many registers there are, in bytes. */
#define VIRTIO_MMIO_SIZE 0x200

/*
 * Sets up the device whose registers are at regs.  NBD_E_NO_DEVICE: it is no
 * network device.  NBD_E_IO: it is one, but cannot be used; d says why.
 */
int virtio_mmio_open(struct virtio_mmio *m, volatile uint32_t *regs,
		     struct nbd_diag *d);

#endif
