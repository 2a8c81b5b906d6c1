/* SPDX-License-Identifier: BSD-2-Clause */
#include "port/sha256.h"
#include "core/be.h"

#include <string.h>

#define BLOCK 64u

/* The first 32 bits of the fractions of cube roots of primes. */
static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

static uint32_t sha256_right(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

/* The words of a block, and those that are made of them.  Sums wrap. */
static void sha256_schedule(uint32_t w[64], const uint8_t *p)
{
	for (unsigned i = 0; i < 16; i++)
		w[i] = be32(p + 4 * i);
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		a = sha256_right(a, 7) ^ sha256_right(a, 18) ^ a >> 3;
		b = sha256_right(b, 17) ^ sha256_right(b, 19) ^ b >> 10;
		w[i] = w[i - 16] + a + w[i - 7] + b;
	}
}

static void sha256_block(uint32_t h[8], const uint8_t *p)
{
	uint32_t w[64], s[8];

	sha256_schedule(w, p);
	memcpy(s, h, sizeof(s));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t e = sha256_right(s[4], 6) ^ sha256_right(s[4], 11) ^
			     sha256_right(s[4], 25);
		uint32_t a = sha256_right(s[0], 2) ^ sha256_right(s[0], 13) ^
			     sha256_right(s[0], 22);
		uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
		uint32_t most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		uint32_t t = s[7] + e + choice + k[i] + w[i];

		memmove(s + 1, s, 7 * sizeof(s[0]));
		s[4] += t;
		s[0] = t + a + most;
	}
	for (unsigned i = 0; i < 8; i++)
		h[i] += s[i];
}

void nbd_sha256(uint8_t hash[NBD_SHA256], const void *data, size_t len)
{
	/* of square roots */
	uint32_t h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	uint8_t last[2 * BLOCK] = { 0 };
	const uint8_t *p = data;
	uint64_t bits = (uint64_t)len * 8;
	size_t end;

	for (; len >= BLOCK; len -= BLOCK, p += BLOCK)
		sha256_block(h, p);
	memcpy(last, p, len);
	last[len] = 0x80;
	end = len + 9 > BLOCK ? 2 * BLOCK : BLOCK;
	for (unsigned i = 0; i < 8; i++)
		last[end - 1 - i] = (uint8_t)(bits >> 8 * i);
	for (size_t at = 0; at < end; at += BLOCK)
		sha256_block(h, last + at);
	for (unsigned i = 0; i < NBD_SHA256; i++)
		hash[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}
