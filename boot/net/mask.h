/* SPDX-License-Identifier: BSD-2-Clause */
/* What is behind the slash of an address, or a mask in its place. */
#ifndef BOOT_NET_MASK_H
#define BOOT_NET_MASK_H

/*
 * "24" or, of IPv4 only, "255.255.255.0": the length of a prefix for addresses
 * of so many bits, 32 or 128; -1 if it is none.
 */
int net_mask_prefix(const char *text, unsigned bits);

#endif
