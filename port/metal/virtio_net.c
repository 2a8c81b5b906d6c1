/* SPDX-License-Identifier: BSD-2-Clause */
/* virtio-net over memory-mapped registers. */
#include "port/metal/virtio_net.h"
#include "port/metal/mmio.h"

#include <string.h>

/* Registers of this transport alone (4.2.2), in words. */
enum {
	MAGIC = 0x00 / 4,
	VERSION = 0x04 / 4,
	DEVICE_ID = 0x08 / 4,
};

#define MAGIC_VIRT 0x74726976u
#define ID_NET	   1

static uint32_t mmio_register(struct virtio_net *v, unsigned at)
{
	return mmio_get(((struct virtio_mmio *)v)->regs + at);
}

static void mmio_set(struct virtio_net *v, unsigned at, uint32_t value)
{
	mmio_put(((struct virtio_mmio *)v)->regs + at, value);
}

int virtio_mmio_open(struct virtio_mmio *m, volatile uint32_t *regs,
		     struct nbd_diag *d)
{
	memset(m, 0, sizeof(*m));
	m->net.get = mmio_register;
	m->net.put = mmio_set;
	m->regs = regs;
	if (mmio_get(regs + MAGIC) != MAGIC_VIRT ||
	    mmio_get(regs + DEVICE_ID) != ID_NET)
		return NBD_E_NO_DEVICE;
	if (mmio_get(regs + VERSION) != 2)
		return nbd_diag(d, NBD_E_IO,
				"virtio-net: the device is older than virtio "
				"1.0 (QEMU: -global "
				"virtio-mmio.force-legacy=false)");
	if (virtio_net_start(&m->net))
		return nbd_diag(d, NBD_E_IO,
				"virtio-net: the device refuses the driver");
	return 0;
}
