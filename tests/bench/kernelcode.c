// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a kernel's own code for SHA-256 and AES-256-GCM takes on this CPU: linked
 * with Debian's modules sha256-ssse3 and aesni-intel, of Linux 6.1 or of 6.12,
 * whose functions are called as the modules themselves do.  Prints lines
 *
 *	NAME MICROSECONDS-FOR-A-MiB
 *
 * of blocks of 4 KiB as dm-verity hashes them, of records of 16 KiB as the
 * kernel's TLS opens them, and of a copy; the least of ROUNDS.
 */
#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MIB    64
#define BLOCK  4096
#define RECORD 16384
#define ROUNDS 5

/* The kernel's code returns by a thunk, and calls the tracer at its beginning. */
__asm__(".globl __x86_return_thunk, __fentry__\n"
	"__x86_return_thunk:\n"
	"__fentry__:\n"
	"	ret\n");

/* ---- functions of the modules: those of the other kernel are null ---- */

#define WEAK __attribute__((weak))

void sha256_ni_transform(uint32_t state[8], const void *data, int blocks) WEAK;
void sha256_transform_rorx(uint32_t state[8], const void *data,
			   int blocks) WEAK;
int aesni_set_key(void *ctx, const uint8_t *key, unsigned len) WEAK;
void aesni_enc(const void *ctx, uint8_t *dst, const uint8_t *src) WEAK;

/* 6.1 */
void aesni_gcm_init_avx_gen4(const void *aes, void *state, uint8_t iv[16],
			     const uint8_t *subkey, const uint8_t *aad,
			     unsigned long aad_len) WEAK;
void aesni_gcm_dec_update_avx_gen4(const void *aes, void *state, uint8_t *out,
				   const uint8_t *in, unsigned long len) WEAK;
void aesni_gcm_finalize_avx_gen4(const void *aes, void *state, uint8_t *tag,
				 unsigned long len) WEAK;

/* 6.12: the counter is four little-endian words, of which the first counts */
typedef void precompute(void *key);
typedef void update(const void *key, const uint32_t counter[4],
		    uint8_t hash[16], const uint8_t *in, uint8_t *out, int len);
precompute aes_gcm_precompute_aesni_avx WEAK;
precompute aes_gcm_precompute_vaes_avx10_256 WEAK;
precompute aes_gcm_precompute_vaes_avx10_512 WEAK;
update aes_gcm_dec_update_aesni_avx WEAK;
update aes_gcm_dec_update_vaes_avx10_256 WEAK;
update aes_gcm_dec_update_vaes_avx10_512 WEAK;

/* ---- what they work on ---- */

static struct {
	/* struct crypto_aes_ctx: round keys of both ways, length */
	uint32_t aes[121];
	/* what the module keeps behind it: more than any of them needs */
	uint8_t rest[2048];
} key __attribute__((aligned(64)));
static uint8_t state[2048] __attribute__((aligned(64)));
static uint8_t in[MIB << 20] __attribute__((aligned(BLOCK)));
static uint8_t out[MIB << 20] __attribute__((aligned(BLOCK)));

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* ---- one pass over all of it each ---- */

static void sha_ni(void)
{
	uint32_t hash[8] = { 0 };

	for (size_t at = 0; at < sizeof(in); at += BLOCK)
		sha256_ni_transform(hash, in + at, BLOCK / 64);
}

static void sha_avx2(void)
{
	uint32_t hash[8] = { 0 };

	for (size_t at = 0; at < sizeof(in); at += BLOCK)
		sha256_transform_rorx(hash, in + at, BLOCK / 64);
}

static void gcm_61(size_t len)
{
	uint8_t iv[16] = { [15] = 1 }, subkey[16] __attribute__((aligned(16)));
	uint8_t tag[16], zero[16] = { 0 };

	aesni_enc(key.aes, subkey, zero);
	for (size_t at = 0; at + len <= sizeof(in); at += RECORD) {
		aesni_gcm_init_avx_gen4(key.aes, state, iv, subkey, zero, 0);
		aesni_gcm_dec_update_avx_gen4(key.aes, state, out + at, in + at,
					      len);
		aesni_gcm_finalize_avx_gen4(key.aes, state, tag, 16);
		if (len < RECORD)
			break;
	}
}

static void gcm_612(update *decrypt, size_t len)
{
	const uint32_t counter[4] = { 2 };

	for (size_t at = 0; at + len <= sizeof(in); at += RECORD) {
		memset(state, 0, 16);
		decrypt(&key, counter, state, in + at, out + at, (int)len);
		if (len < RECORD)
			break;
	}
}

static void gcm_avx2(size_t len)
{
	gcm_61(len);
}

static void gcm_avx(size_t len)
{
	gcm_612(aes_gcm_dec_update_aesni_avx, len);
}

static void gcm_vaes256(size_t len)
{
	gcm_612(aes_gcm_dec_update_vaes_avx10_256, len);
}

static void gcm_vaes512(size_t len)
{
	gcm_612(aes_gcm_dec_update_vaes_avx10_512, len);
}

static void copy(void)
{
	memcpy(out, in, sizeof(in));
}

/* ---- the table ---- */

/* Bits of leaf 7: EBX, and ECX above them. */
#define AVX2   (1ULL << 5)
#define AVX512 (1ULL << 16)
#define SHA    (1ULL << 29)
#define VAES   (1ULL << (32 + 9))

static bool has(uint64_t bits)
{
	unsigned a, b = 0, c = 0, d;

	__get_cpuid_count(7, 0, &a, &b, &c, &d);
	return (((uint64_t)c << 32 | b) & bits) == bits;
}

static void print(const char *name, double least)
{
	printf("%s %.1f\n", name, least / MIB);
}

static void run(const char *name, bool there, void (*pass)(void))
{
	double least = 1e18;

	for (int i = 0; there && i < ROUNDS; i++) {
		double from = now(), took;

		pass();
		took = now() - from;
		least = took < least ? took : least;
	}
	if (there)
		print(name, least);
}

/* Test case 14 of the specification of GCM: is it called as it wants? */
static bool is_right(void (*pass)(size_t))
{
	static const uint8_t want[16] = { 0xce, 0xa7, 0x40, 0x3d, 0x4d, 0x60,
					  0x6b, 0x6e, 0x07, 0x4e, 0xc5, 0xd3,
					  0xba, 0xf3, 0x9d, 0x18 };

	pass(16);
	return !memcmp(out, want, sizeof(want));
}

static int run_gcm(const char *name, bool there, precompute *prepare,
		   void (*pass)(size_t))
{
	static const uint8_t zero[32];
	double least = 1e18;

	if (!there)
		return 0;
	memset(&key, 0, sizeof(key));
	aesni_set_key(key.aes, zero, sizeof(zero));
	if (prepare)
		prepare(&key);
	if (!is_right(pass)) {
		fprintf(stderr, "kernelcode: %s: wrong result\n", name);
		return 1;
	}
	for (int i = 0; i < ROUNDS; i++) {
		double from = now(), took;

		pass(RECORD);
		took = now() - from;
		least = took < least ? took : least;
	}
	print(name, least);
	return 0;
}

int main(void)
{
	int bad = 0;

	memset(out, 1, sizeof(out));
	run("copy", true, copy);
	run("sha256-avx2", sha256_transform_rorx && has(AVX2), sha_avx2);
	run("sha256-ni", sha256_ni_transform && has(SHA), sha_ni);
	bad |= run_gcm("gcm-aesni-avx2", aesni_gcm_init_avx_gen4 && has(AVX2),
		       NULL, gcm_avx2);
	bad |= run_gcm("gcm-aesni-avx",
		       aes_gcm_precompute_aesni_avx && has(AVX2),
		       aes_gcm_precompute_aesni_avx, gcm_avx);
	bad |= run_gcm("gcm-vaes-avx10-256",
		       aes_gcm_precompute_vaes_avx10_256 && has(VAES | AVX512),
		       aes_gcm_precompute_vaes_avx10_256, gcm_vaes256);
	bad |= run_gcm("gcm-vaes-avx10-512",
		       aes_gcm_precompute_vaes_avx10_512 && has(VAES | AVX512),
		       aes_gcm_precompute_vaes_avx10_512, gcm_vaes512);
	return bad;
}
