/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of devices: one access each, of that width, in program order. */
#ifndef PORT_METAL_MMIO_H
#define PORT_METAL_MMIO_H

#include <stdint.h>

static inline uint32_t mmio_get(const volatile uint32_t *at)
{
	return *at;
}

static inline void mmio_put(volatile uint32_t *at, uint32_t value)
{
	*at = value;
}

#endif
