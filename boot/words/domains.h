/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of domain names as DNS has them (RFC 1035, 3.1 and 4.1.4). */
#ifndef BOOT_WORDS_DOMAINS_H
#define BOOT_WORDS_DOMAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a list as text, with a blank between two names, and its NUL. */
#define BOOT_DOMAINS 256

/* A letter, a digit, '-' or '_'. */
static inline bool boot_domains_char(unsigned c)
{
	unsigned letter = c | 0x20;

	return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_';
}

/*
 * Reads the names in p[0] to p[len - 1] into a text.  packed: the end of a name
 * may be a pointer to what stands before it (RFC 3397, 2).  Names with other
 * characters or pointers are left out, and all from one that is malformed, or
 * for which there is no room: then it returns false.  Firmware, which looks up
 * whole names only, reads none.
 */
bool boot_domains_read(char to[BOOT_DOMAINS], const uint8_t *p, size_t len,
		       bool packed);

#endif
