/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-GCM with a CPU's instructions for AES and for multiplication without
 * carry, for the bulk of a TLS connection: eight blocks at a time, where
 * mbedTLS takes one.  Its time depends on lengths alone.
 */
#ifndef PORT_MBEDTLS_AESGCM_H
#define PORT_MBEDTLS_AESGCM_H

#include <stdbool.h>
#include <stddef.h>

#define AESGCM_IV  12
#define AESGCM_TAG 16

/* A key, expanded.  Secret: the owner wipes it. */
struct aesgcm {
	_Alignas(16) unsigned char round[15][16];
	unsigned char power[8][16];  /* of the hash key; the first one is it */
	unsigned char folded[8][16]; /* of each, the sum of its halves */
	unsigned rounds;	     /* 10 or 14 */
};

/* What is authenticated beside the text, at most 16 bytes of it. */
struct aesgcm_aad {
	const unsigned char *p;
	size_t len;
};

/* False: this CPU has no such instructions, and nothing else may be called. */
bool aesgcm_usable(void);

/* len: 16 or 32 bytes. */
void aesgcm_init(struct aesgcm *gcm, const unsigned char *key, size_t len);

/*
 * Encrypts len bytes, less than 64 GiB.  `to` is `from`, or they do not
 * overlap.  A key must never see an iv twice.
 */
void aesgcm_seal(const struct aesgcm *gcm, const unsigned char iv[AESGCM_IV],
		 struct aesgcm_aad aad, const unsigned char *from,
		 unsigned char *to, size_t len, unsigned char tag[AESGCM_TAG]);

/* Likewise decrypts.  False: forged, and the bytes at `to` are zero. */
bool aesgcm_open(const struct aesgcm *gcm, const unsigned char iv[AESGCM_IV],
		 struct aesgcm_aad aad, const unsigned char *from,
		 unsigned char *to, size_t len,
		 const unsigned char tag[AESGCM_TAG]);

#endif
