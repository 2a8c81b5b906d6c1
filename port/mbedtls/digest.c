/* SPDX-License-Identifier: BSD-2-Clause */
#include "port/mbedtls/digest.h"
#include "port/mbedtls/digest_stream.h"

#include <mbedtls/sha512.h>

static void sha256(uint8_t *hash, struct digest_piece a, struct digest_piece b)
{
	struct digest_stream s;

	digest_stream_begin(&s);
	digest_stream_add(&s, a.p, a.len);
	digest_stream_add(&s, b.p, b.len);
	digest_stream_end(&s, hash);
}

/* None of these can fail: there is no hardware behind them. */
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
