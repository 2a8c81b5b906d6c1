/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 and SHA-512 (FIPS 180-4) of two pieces, as of a salt and a block. */
#ifndef PORT_MBEDTLS_DIGEST_H
#define PORT_MBEDTLS_DIGEST_H

#include <stddef.h>
#include <stdint.h>

struct digest_piece {
	const uint8_t *p;
	size_t len; /* bytes */
};

/* Writes the hash of both, joined: 32 bytes by SHA-256, 64 by SHA-512. */
void digest_sha2(uint8_t *hash, unsigned bytes, struct digest_piece first,
		 struct digest_piece second);

#endif
