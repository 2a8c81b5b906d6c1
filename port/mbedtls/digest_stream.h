/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 (FIPS 180-4) of data that comes in pieces. */
#ifndef PORT_MBEDTLS_DIGEST_STREAM_H
#define PORT_MBEDTLS_DIGEST_STREAM_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the hash. */
#define DIGEST_STREAM 32

/* The caller's, from begin to end; what is in it is mbedTLS's. */
struct digest_stream {
	uint64_t state[16];
};

void digest_stream_begin(struct digest_stream *s);
void digest_stream_add(struct digest_stream *s, const void *p, size_t len);
/* After it only begin may be called. */
void digest_stream_end(struct digest_stream *s, uint8_t hash[DIGEST_STREAM]);

#endif
