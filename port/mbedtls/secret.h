/* SPDX-License-Identifier: BSD-2-Clause */
/* AES-256-GCM of one small text by a key that is used once. */
#ifndef PORT_MBEDTLS_SECRET_H
#define PORT_MBEDTLS_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECRET_KEY 32u /* bytes */
#define SECRET_TAG 16u

/* What is authenticated beside the text. */
struct secret_aad {
	const void *p;
	size_t len;
};

/*
 * Encrypts len bytes at p in place and writes the tag.  A key must never see a
 * second text: its nonce is zero.  False: there is no memory for it.
 */
bool secret_seal(const uint8_t key[SECRET_KEY], struct secret_aad aad,
		 uint8_t *p, size_t len, uint8_t tag[SECRET_TAG]);
/* Likewise decrypts.  False: forged or damaged, and p is undefined. */
bool secret_open(const uint8_t key[SECRET_KEY], struct secret_aad aad,
		 uint8_t *p, size_t len, const uint8_t tag[SECRET_TAG]);

#endif
