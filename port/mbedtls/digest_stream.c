/* SPDX-License-Identifier: BSD-2-Clause */
#include "port/mbedtls/digest_stream.h"

#include <mbedtls/sha256.h>

_Static_assert(sizeof(mbedtls_sha256_context) <= sizeof(struct digest_stream),
	       "a context fits");

static mbedtls_sha256_context *context(struct digest_stream *s)
{
	return (mbedtls_sha256_context *)(void *)s->state;
}

/* None of these can fail: there is no hardware behind them. */
void digest_stream_begin(struct digest_stream *s)
{
	mbedtls_sha256_init(context(s));
	(void)mbedtls_sha256_starts(context(s), 0);
}

void digest_stream_add(struct digest_stream *s, const void *p, size_t len)
{
	(void)mbedtls_sha256_update(context(s), p, len);
}

void digest_stream_end(struct digest_stream *s, uint8_t hash[DIGEST_STREAM])
{
	(void)mbedtls_sha256_finish(context(s), hash);
	mbedtls_sha256_free(context(s));
}
