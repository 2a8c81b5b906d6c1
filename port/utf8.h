/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8 (RFC 3629), as far as untrusted text needs it to be printed safely. */
#ifndef NBD_UTF8_H
#define NBD_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the well-formed character at p, 0 if there is none. len > 0. */
size_t nbd_utf8_valid(const char *p, size_t len);
/* The same, but 0 for characters that a terminal does not show but obeys. */
size_t nbd_utf8_printable(const char *p, size_t len);
/* The code point of a valid character of n bytes. */
uint32_t nbd_utf8_point(const char *p, size_t n);

#endif
