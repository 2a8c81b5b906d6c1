/* SPDX-License-Identifier: BSD-2-Clause */
/* What aesgcm.c needs of a CPU, on AArch64 with Linux: AES and PMULL. */
#ifndef PORT_MBEDTLS_AESGCM_ARM_H
#define PORT_MBEDTLS_AESGCM_ARM_H

#include <arm_neon.h>
#include <stdbool.h>
#include <sys/auxv.h>

/* On each function that uses the instructions: only then may they be there. */
#define CRYPTO	    __attribute__((target("+crypto")))
#define CRYPTO_PART CRYPTO __attribute__((always_inline)) static inline

typedef uint8x16_t block;

static bool has_instructions(void)
{
	/* HWCAP_AES and HWCAP_PMULL of <asm/hwcap.h>, which musl lacks */
	const unsigned long all = 1ul << 3 | 1ul << 4;

	return (getauxval(AT_HWCAP) & all) == all;
}

CRYPTO_PART block load(const void *p)
{
	return vld1q_u8(p);
}

/* Of a key: it is aligned. */
CRYPTO_PART block load_key(const void *p)
{
	return vld1q_u8(p);
}

CRYPTO_PART void store(void *p, block x)
{
	vst1q_u8(p, x);
}

CRYPTO_PART block zero(void)
{
	return vdupq_n_u8(0);
}

CRYPTO_PART block xor (block a, block b) { return veorq_u8(a, b); }

	/* Adds n to the lowest 32 bits. */
	CRYPTO_PART block add(block a, unsigned n)
{
	uint32x4_t v = vsetq_lane_u32(n, vdupq_n_u32(0), 0);

	return vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8(a), v));
}

/* The compiler has it in a register here. */
CRYPTO_PART void pin(block *x)
{
	__asm__ volatile("" : "+w"(*x));
}

/* Zero but for the last byte. */
CRYPTO_PART block last_byte(unsigned n)
{
	return vsetq_lane_u8((uint8_t)n, zero(), 15);
}

/* The two halves in the opposite order. */
CRYPTO_PART block swap(block x)
{
	return vextq_u8(x, x, 8);
}

/* The bytes in the opposite order. */
CRYPTO_PART block reverse(block x)
{
	return swap(vrev64q_u8(x));
}

/* The low half as the high one, and the high half as the low one; else zero. */
CRYPTO_PART block up(block x)
{
	return vextq_u8(zero(), x, 8);
}

CRYPTO_PART block down(block x)
{
	return vextq_u8(x, zero(), 8);
}

/* Products without carries of the low halves, and of the high ones. */
CRYPTO_PART block mul_low(block a, block b)
{
	poly64_t p = vgetq_lane_p64(vreinterpretq_p64_u8(a), 0);
	poly64_t q = vgetq_lane_p64(vreinterpretq_p64_u8(b), 0);

	return vreinterpretq_u8_p128(vmull_p64(p, q));
}

CRYPTO_PART block mul_high(block a, block b)
{
	return vreinterpretq_u8_p128(vmull_high_p64(vreinterpretq_p64_u8(a),
						    vreinterpretq_p64_u8(b)));
}

/* One round of AES, and the last one, which mixes no columns. */
CRYPTO_PART block aes_round(block x, block key)
{
	return veorq_u8(vaesmcq_u8(vaeseq_u8(x, zero())), key);
}

CRYPTO_PART block aes_last(block x, block key)
{
	return veorq_u8(vaeseq_u8(x, zero()), key);
}

#endif
