/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 (FIPS 180-4), small rather than fast: for what is loaded once. */
#ifndef NBD_SHA256_H
#define NBD_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define NBD_SHA256 32 /* bytes */

/* Writes the hash of len bytes at p. */
void nbd_sha256(uint8_t hash[NBD_SHA256], const void *p, size_t len);

#endif
