/* SPDX-License-Identifier: BSD-2-Clause */
#include "port/mbedtls/digest.h"
#include "port/mbedtls/digest_stream.h"

#include <mbedtls/sha512.h>

static void sha256(uint8_t *hash, struct digest_piece first,
		   struct digest_piece second)
{
	struct digest_stream s;

	digest_stream_begin(&s);
	digest_stream_add(&s, first.p, first.len);
	digest_stream_add(&s, second.p, second.len);
	digest_stream_end(&s, hash);
}

/* None of these can fail: there is no hardware behind them. */
static void sha512(uint8_t *hash, struct digest_piece first,
		   struct digest_piece second)
{
	mbedtls_sha512_context c;

	mbedtls_sha512_init(&c);
	(void)mbedtls_sha512_starts(&c, 0);
	(void)mbedtls_sha512_update(&c, first.p, first.len);
	(void)mbedtls_sha512_update(&c, second.p, second.len);
	(void)mbedtls_sha512_finish(&c, hash);
	mbedtls_sha512_free(&c);
}

void digest_sha2(uint8_t *hash, unsigned bytes, struct digest_piece first,
		 struct digest_piece second)
{
	if (bytes == 32)
		sha256(hash, first, second);
	else
		sha512(hash, first, second);
}
