/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's `virt` machine with an AArch64 CPU (QEMU: hw/arm/virt.c). */
#include "port/metal/metal.h"
#include "port/metal/virtio_net.h"

#define UART	  0x09000000u
#define VIRTIO	  0x0a000000u
#define N_VIRTIO  32u
#define UART_RATE 64 /* of no interest to QEMU */

void metal_start(void)
{
	metal_uart_start((volatile uint32_t *)UART, UART_RATE);
}

uint64_t nbd_now_ns(void)
{
	uint64_t hz, now;

	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(now));
	return now / hz * 1000000000 + now % hz * 1000000000 / hz;
}

int metal_ether(struct nbd_ether **e, struct nbd_diag *d)
{
	static struct virtio_mmio device;

	*e = &device.net.ether;
	for (unsigned i = 0; i < N_VIRTIO; i++) {
		uintptr_t at = VIRTIO + i * VIRTIO_MMIO_SIZE;
		int err = virtio_mmio_open(&device, (volatile uint32_t *)at, d);

		if (err != NBD_E_NO_DEVICE)
			return err;
	}
	return nbd_diag(d, NBD_E_NO_DEVICE, "no virtio-net device");
}
