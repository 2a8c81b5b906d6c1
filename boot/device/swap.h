/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device that memory is freed through: its own connections must not need
 * what there is no more of.  The driver sends from the last reserves, without
 * a limit but the socket's own; what comes in has to find some left.
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
