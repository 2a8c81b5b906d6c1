/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device with swap space: its own connections must work without free memory.
 * The driver may use the last memory reserves for sending, up to the socket's
 * buffer limit; some memory must be left for received data.
 */
#ifndef BOOT_DEVICE_SWAP_H
#define BOOT_DEVICE_SWAP_H

#include "boot/device/backend.h"

/*
 * Limits the buffers of each connection, and raises the memory that the kernel
 * keeps free (vm.min_free_kbytes) so that it covers all connections of b, but
 * to at most a sixteenth of all memory.  Does nothing without b->swap.
 */
void device_swap_prepare(const struct backend *b, const int fds[], unsigned n);

#endif
