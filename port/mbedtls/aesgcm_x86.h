/* SPDX-License-Identifier: BSD-2-Clause */
/* What aesgcm.c needs of a CPU, on x86-64: AES-NI, PCLMULQDQ and SSSE3. */
#ifndef PORT_MBEDTLS_AESGCM_X86_H
#define PORT_MBEDTLS_AESGCM_X86_H

#include <cpuid.h>
#include <stdbool.h>
#include <wmmintrin.h>
#include <tmmintrin.h>

/* On each function that uses the instructions: only then may they be there. */
#define CRYPTO	    __attribute__((target("aes,pclmul,ssse3")))
#define CRYPTO_PART CRYPTO __attribute__((always_inline)) static inline

typedef __m128i block;

static bool has_instructions(void)
{
	unsigned a, b, c = 0, d, all = bit_AES | bit_PCLMUL | bit_SSSE3;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & all) == all;
}

CRYPTO_PART block load(const void *p)
{
	return _mm_loadu_si128(p);
}

/* Of a key: it is aligned. */
CRYPTO_PART block load_key(const void *p)
{
	return _mm_load_si128(p);
}

CRYPTO_PART void store(void *p, block x)
{
	_mm_storeu_si128(p, x);
}

CRYPTO_PART block zero(void)
{
	return _mm_setzero_si128();
}

CRYPTO_PART block xor (block a, block b) { return _mm_xor_si128(a, b); }

	/* Adds n to the lowest 32 bits. */
	CRYPTO_PART block add(block a, unsigned n)
{
	return _mm_add_epi32(a, _mm_cvtsi32_si128((int)n));
}

/* Zero but for the last byte. */
CRYPTO_PART block last_byte(unsigned n)
{
	return _mm_set_epi32((int)(n << 24), 0, 0, 0);
}

/* The bytes in the opposite order. */
CRYPTO_PART block reverse(block x)
{
	return _mm_shuffle_epi8(x, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
						10, 11, 12, 13, 14, 15));
}

/* The compiler has it in a register here. */
CRYPTO_PART void pin(block *x)
{
	__asm__ volatile("" : "+x"(*x));
}

/* The two halves in the opposite order. */
CRYPTO_PART block swap(block x)
{
	return _mm_shuffle_epi32(x, 0x4e);
}

/* The low half as the high one, and the high half as the low one; else zero. */
CRYPTO_PART block up(block x)
{
	return _mm_slli_si128(x, 8);
}

CRYPTO_PART block down(block x)
{
	return _mm_srli_si128(x, 8);
}

/* Products without carries of the low halves, and of the high ones. */
CRYPTO_PART block mul_low(block a, block b)
{
	return _mm_clmulepi64_si128(a, b, 0x00);
}

CRYPTO_PART block mul_high(block a, block b)
{
	return _mm_clmulepi64_si128(a, b, 0x11);
}

/* One round of AES, and the last one, which mixes no columns. */
CRYPTO_PART block aes_round(block x, block key)
{
	return _mm_aesenc_si128(x, key);
}

CRYPTO_PART block aes_last(block x, block key)
{
	return _mm_aesenclast_si128(x, key);
}

#endif
