/* SPDX-License-Identifier: BSD-2-Clause */
/* What kind of program an image is (Microsoft's PE Format).  Pure. */
#ifndef BOOT_UEFI_PE_H
#define BOOT_UEFI_PE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Does an image, len bytes as it lies in memory, take its command line and its
 * initramfs from whoever starts it?  A Linux kernel does, and so does a unified
 * kernel image (.linux) without a .cmdline of its own.
 */
bool uefi_pe_obeys(const uint8_t *image, size_t len);

#endif
