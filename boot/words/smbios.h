/* SPDX-License-Identifier: BSD-2-Clause */
/* The structures of a firmware's SMBIOS tables (DSP0134, 6.1). */
#ifndef BOOT_WORDS_SMBIOS_H
#define BOOT_WORDS_SMBIOS_H

#include <stddef.h>
#include <stdint.h>

/* Types: "System Information", "OEM Strings", "End-of-Table". */
enum { SMBIOS_SYSTEM = 1, SMBIOS_OEM = 11, SMBIOS_END = 127 };

/*
 * Bytes of the structure at p, of which len bytes are readable, and of its
 * strings, which follow its p[1] bytes and end in two NULs.  0: it is not whole.
 */
static inline size_t smbios_size(const uint8_t *p, size_t len)
{
	size_t n = len >= 4 ? p[1] : 0;

	if (n < 4 || n > len)
		return 0;
	for (; n + 1 < len; n++)
		if (!p[n] && !p[n + 1])
			return n + 2;
	return 0;
}

#endif
