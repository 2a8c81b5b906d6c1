/* SPDX-License-Identifier: BSD-2-Clause */
#include "port/mbedtls/digest.h"

#include <mbedtls/sha256.h>
#include <mbedtls/sha512.h>

/* Neither can fail: there is no hardware behind them. */
static void sha256(uint8_t *hash, struct digest_piece a, struct digest_piece b)
{
	mbedtls_sha256_context c;

	mbedtls_sha256_init(&c);
	(void)mbedtls_sha256_starts(&c, 0);
	(void)mbedtls_sha256_update(&c, a.p, a.len);
	(void)mbedtls_sha256_update(&c, b.p, b.len);
	(void)mbedtls_sha256_finish(&c, hash);
	mbedtls_sha256_free(&c);
}

static void sha512(uint8_t *hash, struct digest_piece a, struct digest_piece b)
{
	mbedtls_sha512_context c;

	mbedtls_sha512_init(&c);
	(void)mbedtls_sha512_starts(&c, 0);
	(void)mbedtls_sha512_update(&c, a.p, a.len);
	(void)mbedtls_sha512_update(&c, b.p, b.len);
	(void)mbedtls_sha512_finish(&c, hash);
	mbedtls_sha512_free(&c);
}

void digest_sha2(uint8_t *hash, unsigned bytes, struct digest_piece a,
		 struct digest_piece b)
{
	if (bytes == 32)
		sha256(hash, a, b);
	else
		sha512(hash, a, b);
}
