/* SPDX-License-Identifier: BSD-2-Clause */
/* AES-GCM with the instructions of the CPU beside that of mbedTLS. */
#include "port/mbedtls/aesgcm.h"

#include <mbedtls/gcm.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same(bool what)
{
	if (!what)
		abort();
}

/* The first two bytes choose; then key, iv, authenticated bytes, text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char tag[AESGCM_TAG], want_tag[AESGCM_TAG], *got, *want;
	const uint8_t *key = data + 2, *iv = key + 32, *aad = iv + AESGCM_IV;
	const uint8_t *text = aad + 16;
	mbedtls_gcm_context mbed;
	struct aesgcm_aad a;
	struct aesgcm g;
	size_t key_len, len;

	if (!aesgcm_usable() || size < 2 + 32 + AESGCM_IV + 16)
		return -1;
	len = size - (size_t)(text - data);
	key_len = data[0] & 1 ? 16 : 32;
	a = (struct aesgcm_aad){ aad, data[1] % 17 };
	got = malloc(len + 1);
	want = malloc(len + 1);
	mbedtls_gcm_init(&mbed);
	mbedtls_gcm_setkey(&mbed, MBEDTLS_CIPHER_ID_AES, key,
			   8 * (unsigned)key_len);
	mbedtls_gcm_crypt_and_tag(&mbed, MBEDTLS_GCM_ENCRYPT, len, iv,
				  AESGCM_IV, aad, a.len, text, want, AESGCM_TAG,
				  want_tag);
	aesgcm_init(&g, key, key_len);
	aesgcm_seal(&g, iv, a, text, got, len, tag);
	same(!memcmp(got, want, len) && !memcmp(tag, want_tag, sizeof(tag)));
	same(aesgcm_open(&g, iv, a, got, got, len, tag));
	same(!memcmp(got, text, len));
	/* text that is no ciphertext is taken by neither or by both */
	same(aesgcm_open(&g, iv, a, text, got, len, tag) ==
	     !mbedtls_gcm_auth_decrypt(&mbed, len, iv, AESGCM_IV, aad, a.len,
				       tag, AESGCM_TAG, text, want));
	mbedtls_gcm_free(&mbed);
	free(got);
	free(want);
	return 0;
}
