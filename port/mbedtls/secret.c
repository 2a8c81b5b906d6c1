/* SPDX-License-Identifier: BSD-2-Clause */
#include "port/mbedtls/secret.h"

#include <mbedtls/gcm.h>

static const uint8_t nonce[12];

bool secret_seal(const uint8_t key[SECRET_KEY], struct secret_aad aad,
		 uint8_t *p, size_t len, uint8_t tag[SECRET_TAG])
{
	mbedtls_gcm_context g;
	bool done;

	mbedtls_gcm_init(&g);
	done = !mbedtls_gcm_setkey(&g, MBEDTLS_CIPHER_ID_AES, key,
				   SECRET_KEY * 8) &&
	       !mbedtls_gcm_crypt_and_tag(&g, MBEDTLS_GCM_ENCRYPT, len, nonce,
					  sizeof(nonce), aad.p, aad.len, p, p,
					  SECRET_TAG, tag);
	mbedtls_gcm_free(&g);
	return done;
}

bool secret_open(const uint8_t key[SECRET_KEY], struct secret_aad aad,
		 uint8_t *p, size_t len, const uint8_t tag[SECRET_TAG])
{
	mbedtls_gcm_context g;
	bool done;

	mbedtls_gcm_init(&g);
	done = !mbedtls_gcm_setkey(&g, MBEDTLS_CIPHER_ID_AES, key,
				   SECRET_KEY * 8) &&
	       !mbedtls_gcm_auth_decrypt(&g, len, nonce, sizeof(nonce), aad.p,
					 aad.len, tag, SECRET_TAG, p, p);
	mbedtls_gcm_free(&g);
	return done;
}
