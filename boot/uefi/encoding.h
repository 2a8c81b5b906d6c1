/* SPDX-License-Identifier: BSD-2-Clause */
/* Text from files and firmware, in the encodings that people's tools write. */
#ifndef BOOT_UEFI_ENCODING_H
#define BOOT_UEFI_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Text of len bytes as UTF-8, with a NUL.  It is UTF-8 or UTF-16 of either byte
 * order; without a byte order mark its first character, which is ASCII, shows
 * which.  ansi: what is not UTF-8 is ISO 8859-1, which the "ANSI" of Windows'
 * editors mostly is.  Each CR becomes a newline.  The text ends at a NUL: *more
 * says whether something other than NULs follows it.
 *
 * Returns the bytes of the text, NBD_E_NO_MEMORY if it is longer than cap, or
 * NBD_E_USAGE if it is no text: control characters other than blanks, or
 * unpaired surrogates.
 */
int uefi_decode(char *to, size_t cap, const void *from, size_t len, bool ansi,
		bool *more);

#endif
