/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/uefi/pe.h"

#include <string.h>

#include "port/le.h"

/* Bytes: of the headers, and of an entry of the table of sections. */
#define SIGNATURE 4u
#define COFF	  20u
#define SECTION	  40u

static bool has(const uint8_t *p, size_t len, size_t at, const char *text)
{
	size_t n = strlen(text);

	return at < len && len - at >= n && !memcmp(p + at, text, n);
}

/*
 * The kernel's boot protocols: Documentation/arch/x86/boot.rst, arm64/booting.rst
 * and drivers/firmware/efi/libstub/zboot-header.S.
 */
static bool is_kernel(const uint8_t *p, size_t len)
{
	return has(p, len, 0x202, "HdrS") || has(p, len, 0x38, "ARM\x64") ||
	       has(p, len, 4, "zimg");
}

/* Is there a section of that name, and is it not empty? */
static bool has_section(const uint8_t *p, size_t len, const char *name)
{
	size_t at, sections, n = strlen(name) + 1;

	if (len < 0x40 || !has(p, len, 0, "MZ"))
		return false;
	at = le32(p + 0x3c);
	if (!has(p, len, at, "PE") || len - at < SIGNATURE + COFF)
		return false;
	p += at + SIGNATURE;
	len -= at + SIGNATURE;
	sections = le16(p + 2);
	at = COFF + le16(p + 16);
	for (; sections && at < len && len - at >= SECTION;
	     sections--, at += SECTION)
		/* a name has 8 bytes, and a NUL if it is shorter */
		if (!memcmp(p + at, name, n < 8 ? n : 8) && le32(p + at + 8))
			return true;
	return false;
}

bool uefi_pe_obeys(const uint8_t *image, size_t len)
{
	if (has_section(image, len, ".linux"))
		return !has_section(image, len, ".cmdline");
	return is_kernel(image, len);
}
