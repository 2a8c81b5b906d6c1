/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8, as far as printing a stranger's text safely needs it (RFC 3629). */
#ifndef NBD_UTF8_H
#define NBD_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the well-formed character at p, 0 if there is none. len > 0. */
size_t nbd_utf8_valid(const char *p, size_t len);
/* The same, but 0 also for what acts on a terminal instead of being seen. */
size_t nbd_utf8_printable(const char *p, size_t len);
/* The code point of a valid character of n bytes. */
uint32_t nbd_utf8_point(const char *p, size_t n);

#endif
