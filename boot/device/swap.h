/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device with swap space: its own connections must work without free memory.
 * The driver may use the last reserves for sending, up to the limit of the
 * socket; received data must find some memory left.
 */
#ifndef BOOT_DEVICE_SWAP_H
#define BOOT_DEVICE_SWAP_H

#include "boot/device/backend.h"

/*
 * Limits the buffers of a connection, and raises what the kernel keeps free
 * for packets (vm.min_free_kbytes) to what all of b's take, but not above a
 * sixteenth of the memory.  Does nothing without b->swap.
 */
void device_swap_prepare(const struct backend *b, const int fds[], unsigned n);

#endif
