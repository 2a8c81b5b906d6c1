/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-GCM (NIST SP 800-38D) with a CPU's instructions.
 *
 * The hash is computed as POLYVAL (RFC 8452, appendix A): on bytes in the
 * opposite order, with the hash key times x, a product needs no shift, and its
 * reduction is two more multiplications.  Eight blocks share one reduction:
 *
 *   y = (y + c1) H^8 + c2 H^7 + ... + c8 H
 *
 * While eight blocks pass the rounds of AES, eight others are hashed, one a
 * round: each unit of the CPU would wait for its own results otherwise.
 */
#include "port/mbedtls/aesgcm.h"

#include <stdint.h>
#include <string.h>

/* clang 14 has Arm's functions only if the whole file is for such a CPU. */
#if defined(__x86_64__)
#include "port/mbedtls/aesgcm_x86.h"
#define HAVE_CRYPTO 1
#elif defined(__AARCH64EL__) && defined(__linux__) && !defined(__clang__)
#include "port/mbedtls/aesgcm_arm.h"
#define HAVE_CRYPTO 1
#endif

#ifdef HAVE_CRYPTO

#define BATCH 8
/* The counter of the first block (7.1, J0 + 1) */
#define FIRST 2u

/* A sum of products (Karatsuba), not reduced: mid has low and high in it. */
struct sum {
	block low, mid, high;
};

/* The state of one message. */
struct message {
	const struct aesgcm *g;
	block counter; /* of the next block */
	block y;       /* the hash */
	block mask;    /* of the tag */
};

/* ---- the hash ---- */

/* b is a power of the hash key, and folded the sum of its halves. */
CRYPTO_PART void sum_add(struct sum *s, block a, block b, block folded)
{
	block low = mul_low(a, b), high = mul_high(a, b);
	block mid = mul_low(xor(a, swap(a)), folded);

	s->low = xor(s->low, low);
	s->high = xor(s->high, high);
	s->mid = xor(s->mid, mid);
}

/* The product of the low half of x and x^63 + x^62 + x^57. */
CRYPTO_PART block mul_poly(block x)
{
	static const uint64_t poly[2] = { 0xc200000000000000, 0 };

	return mul_low(x, load(poly));
}

CRYPTO_PART block sum_reduce(const struct sum *s)
{
	block mid = xor(s->mid, xor(s->low, s->high));
	block low = xor(s->low, up(mid)), high = xor(s->high, down(mid));

	low = xor(swap(low), mul_poly(low));
	low = xor(swap(low), mul_poly(low));
	return xor(low, high);
}

CRYPTO_PART block multiply(block a, block b)
{
	struct sum s = { zero(), zero(), zero() };

	sum_add(&s, a, b, xor(b, swap(b)));
	return sum_reduce(&s);
}

/* Adds to the sum the i-th of a batch of blocks, and y to the first one. */
CRYPTO_PART void hash_block(const struct aesgcm *gcm, struct sum *s, block y,
			    const unsigned char *from, unsigned i)
{
	block c = reverse(load(from + 16 * i));

	sum_add(s, i ? c : xor(c, y), load_key(gcm->power[BATCH - 1 - i]),
		load_key(gcm->folded[BATCH - 1 - i]));
}

/* Hashes a block of at most 16 bytes, which is filled up with zeroes. */
CRYPTO static block hash_part(const struct aesgcm *gcm, block y,
			      const unsigned char *p, size_t len)
{
	unsigned char full[16] = { 0 };

	memcpy(full, p, len);
	return multiply(xor(y, reverse(load(full))), load_key(gcm->power[0]));
}

CRYPTO static block hash_lengths(const struct aesgcm *gcm, block y, size_t aad,
				 size_t text)
{
	uint64_t bits[2] = { 8 * (uint64_t)text, 8 * (uint64_t)aad };

	return multiply(xor(y, load(bits)), load_key(gcm->power[0]));
}

/* ---- the cipher ---- */

CRYPTO static block encrypt(const struct aesgcm *gcm, block x)
{
	x = xor(x, load_key(gcm->round[0]));
	for (unsigned i = 1; i < gcm->rounds; i++)
		x = aes_round(x, load_key(gcm->round[i]));
	return aes_last(x, load_key(gcm->round[gcm->rounds]));
}

/* One round of all blocks. */
CRYPTO_PART void round_of(block x[BATCH], block key)
{
#pragma GCC unroll 8
	for (unsigned i = 0; i < BATCH; i++)
		x[i] = aes_round(x[i], key);
}

/* Ends a round: the compiler leaves nothing of it for later. */
CRYPTO_PART void step(block x[BATCH], struct sum *s)
{
#pragma GCC unroll 8
	for (unsigned i = 0; i < BATCH; i++)
		pin(&x[i]);
	pin(&s->low);
	pin(&s->mid);
	pin(&s->high);
}

/*
 * The blocks with the counters n + 2 to n + 9, where *eight is n, a multiple of
 * eight, and becomes n + 8.  Each differs from that of n, or of n + 8, in the
 * last three bits only.
 */
CRYPTO_PART void count(block x[BATCH], block *eight, block key)
{
	block head = xor(reverse(*eight), key), next;

	*eight = add(*eight, BATCH);
	next = xor(reverse(*eight), key);
#pragma GCC unroll 8
	for (unsigned i = 0; i < BATCH; i++)
		x[i] = xor(i < BATCH - FIRST ? head : next,
			   last_byte((i + FIRST) % BATCH));
}

/*
 * Encrypts or decrypts n batches, and adds n batches of ciphertext at `hash` to
 * the hash.  What is in use fits into 16 registers, as long as each round is
 * done before the next one begins: step() ensures that.
 */
CRYPTO static void batches(struct message *m, const unsigned char *hash,
			   const unsigned char *from, unsigned char *to,
			   size_t n)
{
	const struct aesgcm *gcm = m->g;
	const unsigned char *last = gcm->round[gcm->rounds];
	/* minus FIRST, modulo 2^32 */
	block x[BATCH], eight = add(m->counter, ~FIRST + 1), y = m->y, key;

	for (size_t at = 0; at < n * 16 * BATCH; at += 16 * BATCH) {
		struct sum s = { zero(), zero(), zero() };
		const unsigned char *k = gcm->round[BATCH + 2];

		count(x, &eight, load_key(gcm->round[0]));
#pragma GCC unroll 8
		for (unsigned i = 0; i < BATCH; i++) {
			round_of(x, load_key(gcm->round[i + 1]));
			hash_block(gcm, &s, y, hash + at, i);
			step(x, &s);
		}
		round_of(x, load_key(gcm->round[BATCH + 1]));
#pragma GCC unroll 1
		for (; k != last; k += 16)
			round_of(x, load_key(k));
		y = sum_reduce(&s);
		key = load_key(last);
#pragma GCC unroll 8
		for (unsigned i = 0; i < BATCH; i++)
			store(to + at + 16 * i,
			      aes_last(x[i],
				       xor(key, load(from + at + 16 * i))));
	}
	m->counter = add(eight, FIRST);
	m->y = y;
}

/* At most 16 bytes. */
CRYPTO static void crypt_part(const struct aesgcm *gcm, block counter,
			      const unsigned char *from, unsigned char *to,
			      size_t len)
{
	unsigned char full[16] = { 0 };

	memcpy(full, from, len);
	store(full, xor(encrypt(gcm, reverse(counter)), load(full)));
	memcpy(to, full, len);
}

/* ---- keys ---- */

/* A word in AES's table: in each column, so that no row is moved. */
CRYPTO static uint32_t sub_word(uint32_t w)
{
	uint32_t all[4] = { w, w, w, w };

	store(all, aes_last(load(all), zero()));
	return all[0];
}

/* FIPS 197, 5.2; words as this CPU has them, the lowest byte first. */
CRYPTO static void expand(struct aesgcm *gcm, const unsigned char *key,
			  size_t len)
{
	unsigned n = (unsigned)len / 4, all = 4 * (gcm->rounds + 1);
	uint32_t w[4 * 15], rcon = 1;

	memcpy(w, key, len);
	for (unsigned i = n; i < all; i++) {
		uint32_t t = w[i - 1];

		if (i % n == 0) {
			t = sub_word(t >> 8 | t << 24) ^ rcon;
			rcon = rcon << 1 ^ (rcon >> 7) * 0x11b;
		} else if (n == 8 && i % n == 4) {
			t = sub_word(t);
		}
		w[i] = w[i - n] ^ t;
	}
	memcpy(gcm->round, w, 4 * all);
	explicit_bzero(w, sizeof(w));
}

/* Times x, by the polynomial of POLYVAL, without a branch. */
CRYPTO static block times_x(block h)
{
	uint64_t v[2], carry;

	store(v, h);
	carry = v[1] >> 63;
	v[1] = (v[1] << 1 | v[0] >> 63) ^ carry * 0xc200000000000000;
	v[0] = v[0] << 1 ^ carry;
	h = load(v);
	explicit_bzero(v, sizeof(v));
	return h;
}

CRYPTO void aesgcm_init(struct aesgcm *gcm, const unsigned char *key,
			size_t len)
{
	block h;

	gcm->rounds = (unsigned)len / 4 + 6;
	expand(gcm, key, len);
	h = times_x(reverse(encrypt(gcm, zero())));
	store(gcm->power[0], h);
	for (unsigned i = 1; i < BATCH; i++)
		store(gcm->power[i], multiply(load_key(gcm->power[i - 1]), h));
	for (unsigned i = 0; i < BATCH; i++) {
		h = load_key(gcm->power[i]);
		store(gcm->folded[i], xor(h, swap(h)));
	}
}

/* ---- messages ---- */

CRYPTO static void start(struct message *m, const unsigned char iv[AESGCM_IV],
			 struct aesgcm_aad aad)
{
	unsigned char first[16] = { 0 };

	memcpy(first, iv, AESGCM_IV);
	first[15] = 1;
	m->counter = reverse(load(first));
	m->mask = encrypt(m->g, load(first));
	m->counter = add(m->counter, 1);
	m->y = aad.len ? hash_part(m->g, zero(), aad.p, aad.len) : zero();
}

CRYPTO static block finish(const struct message *m, size_t aad, size_t len)
{
	block y = hash_lengths(m->g, m->y, aad, len);

	return xor(reverse(y), m->mask);
}

/*
 * Each block is hashed once it is encrypted: a batch later.  The first batch
 * has no other to hash: its result is not used.
 */
CRYPTO static void seal_batches(struct message *m, const unsigned char *from,
				unsigned char *to, size_t n)
{
	const size_t size = 16 * BATCH;
	struct sum s = { zero(), zero(), zero() };
	block y = m->y;

	if (!n)
		return;
	batches(m, from, from, to, 1);
	m->y = y;
	batches(m, to, from + size, to + size, n - 1);
	to += (n - 1) * size;
	for (unsigned i = 0; i < BATCH; i++)
		hash_block(m->g, &s, m->y, to, i);
	m->y = sum_reduce(&s);
}

/* What is left: fewer bytes than a batch has. */
CRYPTO static void crypt_rest(struct message *m, bool seal,
			      const unsigned char *from, unsigned char *to,
			      size_t len)
{
	while (len) {
		size_t part = len < 16 ? len : 16;

		if (!seal)
			m->y = hash_part(m->g, m->y, from, part);
		crypt_part(m->g, m->counter, from, to, part);
		if (seal)
			m->y = hash_part(m->g, m->y, to, part);
		m->counter = add(m->counter, 1);
		from += part;
		to += part;
		len -= part;
	}
}

CRYPTO void aesgcm_seal(const struct aesgcm *gcm,
			const unsigned char iv[AESGCM_IV],
			struct aesgcm_aad aad, const unsigned char *from,
			unsigned char *to, size_t len,
			unsigned char tag[AESGCM_TAG])
{
	struct message m = { .g = gcm };
	size_t n = len / (16 * BATCH), done = n * 16 * BATCH;

	start(&m, iv, aad);
	seal_batches(&m, from, to, n);
	crypt_rest(&m, true, from + done, to + done, len - done);
	store(tag, finish(&m, aad.len, len));
}

CRYPTO bool aesgcm_open(const struct aesgcm *gcm,
			const unsigned char iv[AESGCM_IV],
			struct aesgcm_aad aad, const unsigned char *from,
			unsigned char *to, size_t len,
			const unsigned char tag[AESGCM_TAG])
{
	struct message m = { .g = gcm };
	size_t n = len / (16 * BATCH), done = n * 16 * BATCH;
	uint64_t differ[2];

	start(&m, iv, aad);
	batches(&m, from, from, to, n);
	crypt_rest(&m, false, from + done, to + done, len - done);
	store(differ, xor(finish(&m, aad.len, len), load(tag)));
	if (!(differ[0] | differ[1]))
		return true;
	memset(to, 0, len);
	return false;
}

bool aesgcm_usable(void)
{
	return has_instructions();
}

#else

bool aesgcm_usable(void)
{
	return false;
}

void aesgcm_init(struct aesgcm *gcm, const unsigned char *key, size_t len)
{
	(void)gcm, (void)key, (void)len;
}

void aesgcm_seal(const struct aesgcm *gcm, const unsigned char iv[AESGCM_IV],
		 struct aesgcm_aad aad, const unsigned char *from,
		 unsigned char *to, size_t len, unsigned char tag[AESGCM_TAG])
{
	(void)gcm, (void)iv, (void)aad, (void)from, (void)to, (void)len,
		(void)tag;
}

bool aesgcm_open(const struct aesgcm *gcm, const unsigned char iv[AESGCM_IV],
		 struct aesgcm_aad aad, const unsigned char *from,
		 unsigned char *to, size_t len,
		 const unsigned char tag[AESGCM_TAG])
{
	(void)gcm, (void)iv, (void)aad, (void)from, (void)to, (void)len,
		(void)tag;
	return false;
}
#endif
