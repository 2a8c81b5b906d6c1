/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What our own build of mbedTLS takes from here instead (MBEDTLS_*_ALT of
 * config.h), for its bytes.
 */
#include <mbedtls/aes.h>
#include <mbedtls/sha1.h>

static uint32_t rotate(uint32_t x, unsigned n)
{
	return x << n | x >> (32 - n);
}

static uint32_t mix(unsigned t, uint32_t b, uint32_t c, uint32_t d)
{
	/* FIPS 180-4, sections 4.1.1 and 4.2.1 */
	static const uint32_t k[] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc,
				      0xca62c1d6 };
	uint32_t f = b ^ c ^ d;

	if (t < 20)
		f = (b & c) | (~b & d);
	else if (t >= 40 && t < 60)
		f = (b & c) | (b & d) | (c & d);
	return f + k[t / 20];
}

/* FIPS 180-4, section 6.1.2: as a loop, where mbedTLS has 5 KiB unrolled. */
int mbedtls_internal_sha1_process(mbedtls_sha1_context *ctx,
				  const unsigned char data[64])
{
	uint32_t w[80], h[5];

	for (unsigned t = 0; t < 16; t++)
		w[t] = (uint32_t)data[4 * t] << 24 |
		       (uint32_t)data[4 * t + 1] << 16 |
		       (uint32_t)data[4 * t + 2] << 8 | data[4 * t + 3];
	for (unsigned t = 16; t < 80; t++)
		w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	for (unsigned i = 0; i < 5; i++)
		h[i] = ctx->state[i];
	for (unsigned t = 0; t < 80; t++) {
		uint32_t next = rotate(h[0], 5) + mix(t, h[1], h[2], h[3]) +
				h[4] + w[t];

		h[4] = h[3];
		h[3] = h[2];
		h[2] = rotate(h[1], 30);
		h[1] = h[0];
		h[0] = next;
	}
	for (unsigned i = 0; i < 5; i++)
		ctx->state[i] += h[i];
	return 0;
}

/*
 * AES is for GCM here, which only ever encrypts blocks; encrypted keys, which
 * would be in CBC, are refused before.
 */
int mbedtls_aes_setkey_dec(mbedtls_aes_context *ctx, const unsigned char *key,
			   unsigned bits)
{
	(void)ctx, (void)key, (void)bits;
	return MBEDTLS_ERR_AES_FEATURE_UNAVAILABLE;
}

int mbedtls_internal_aes_decrypt(mbedtls_aes_context *ctx,
				 const unsigned char in[16],
				 unsigned char out[16])
{
	(void)ctx, (void)in, (void)out;
	return MBEDTLS_ERR_AES_FEATURE_UNAVAILABLE;
}
