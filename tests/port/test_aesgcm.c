/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-GCM with the instructions of the CPU: the vectors of aesgcm.txt, and
 * mbedTLS's results.  test_aesgcm FILE takes other vectors of that form.
 */
#include "tests/guard.h"
#include "tests/unit.h"
#include "port/mbedtls/records.h"

#include <mbedtls/gcm.h>

#define TEXT_MAX 1024u

static const char *path = "tests/port/aesgcm.txt";

struct vector {
	unsigned char key[32], iv[AESGCM_IV], aad[16], text[TEXT_MAX],
		cipher[TEXT_MAX], tag[AESGCM_TAG];
	size_t key_len, aad_len, len;
	bool ok;
};

/* One word of hexadecimal digits, "-" for none. */
static size_t unhex(char **line, unsigned char *to, size_t room)
{
	const char *word = strsep(line, " ");
	size_t n = 0;
	unsigned byte;

	assert_non_null(word);
	for (; sscanf(word, "%2x", &byte) == 1; word += 2) {
		assert_true(n < room);
		to[n++] = (unsigned char)byte;
	}
	return n;
}

static void parse(struct vector *v, char *line)
{
	size_t text;

	v->key_len = unhex(&line, v->key, sizeof(v->key));
	assert_int_equal(unhex(&line, v->iv, sizeof(v->iv)), AESGCM_IV);
	v->aad_len = unhex(&line, v->aad, sizeof(v->aad));
	text = unhex(&line, v->text, sizeof(v->text));
	v->len = unhex(&line, v->cipher, sizeof(v->cipher));
	assert_int_equal(unhex(&line, v->tag, sizeof(v->tag)), AESGCM_TAG);
	v->ok = !strcmp(line, "ok\n");
	assert_true(v->ok ? text == v->len : !strcmp(line, "forged\n"));
}

static void check(const struct vector *v)
{
	static const unsigned char zeroes[TEXT_MAX];
	struct aesgcm_aad aad = { v->aad, v->aad_len };
	unsigned char buf[TEXT_MAX], tag[AESGCM_TAG];
	struct aesgcm g;

	aesgcm_init(&g, v->key, v->key_len);
	assert_int_equal(aesgcm_open(&g, v->iv, aad, v->cipher, buf, v->len,
				     v->tag),
			 v->ok);
	assert_memory_equal(buf, v->ok ? v->text : zeroes, v->len);
	if (!v->ok)
		return;
	aesgcm_seal(&g, v->iv, aad, v->text, buf, v->len, tag);
	assert_memory_equal(buf, v->cipher, v->len);
	assert_memory_equal(tag, v->tag, AESGCM_TAG);
}

static void all_published_vectors_give_their_results(void **state)
{
	static char line[2 * 2 * TEXT_MAX + 256];
	FILE *f = fopen(path, "r");
	unsigned n = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		struct vector v;

		if (*line == '#')
			continue;
		parse(&v, line);
		check(&v);
		n++;
	}
	fclose(f);
	assert_true(n >= 100);
}

static void fill(unsigned char *p, size_t len, unsigned seed)
{
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1103515245u + 12345u;
		p[i] = (unsigned char)(seed >> 16);
	}
}

/* Up to three batches of eight blocks, with both ends at unreadable pages. */
static void every_length_has_the_result_of_mbedtls(void **state)
{
	struct guard from = guard_new(TEXT_MAX), to = guard_new(TEXT_MAX);
	unsigned char key[32], iv[AESGCM_IV], aad[16], want[TEXT_MAX], tag[16],
		want_tag[16];
	mbedtls_gcm_context mbed;
	struct aesgcm g;

	(void)state;
	fill(key, sizeof(key), 1);
	fill(iv, sizeof(iv), 2);
	fill(aad, sizeof(aad), 3);
	mbedtls_gcm_init(&mbed);
	for (size_t len = 0; len <= 3 * 128 + 17; len++) {
		size_t key_len = len % 2 ? 16 : 32, aad_len = len % 17;
		unsigned char *p = guard_end(&from, len);
		unsigned char *q = guard_end(&to, len);
		struct aesgcm_aad a = { aad, aad_len };

		fill(p, len, (unsigned)len);
		aesgcm_init(&g, key, key_len);
		assert_int_equal(mbedtls_gcm_setkey(&mbed,
						    MBEDTLS_CIPHER_ID_AES, key,
						    8 * (unsigned)key_len),
				 0);
		mbedtls_gcm_crypt_and_tag(&mbed, MBEDTLS_GCM_ENCRYPT, len, iv,
					  sizeof(iv), aad, aad_len, p, want, 16,
					  want_tag);
		aesgcm_seal(&g, iv, a, p, q, len, tag);
		assert_memory_equal(q, want, len);
		assert_memory_equal(tag, want_tag, 16);
		/* and in its place, at the other end of the memory */
		q = guard_start(&to, len);
		memcpy(q, want, len);
		assert_true(aesgcm_open(&g, iv, a, q, q, len, tag));
		assert_memory_equal(q, p, len);
	}
	mbedtls_gcm_free(&mbed);
	guard_free(&from);
	guard_free(&to);
}

static void a_change_of_any_bit_is_a_forgery(void **state)
{
	unsigned char key[16], iv[AESGCM_IV], aad[13], all[300 + AESGCM_TAG];
	unsigned char to[300];
	struct aesgcm_aad a = { aad, sizeof(aad) };
	struct aesgcm g;

	(void)state;
	fill(key, sizeof(key), 4);
	fill(iv, sizeof(iv), 5);
	fill(aad, sizeof(aad), 6);
	fill(all, sizeof(all), 7);
	aesgcm_init(&g, key, sizeof(key));
	aesgcm_seal(&g, iv, a, all, all, 300, all + 300);
	assert_true(aesgcm_open(&g, iv, a, all, to, 300, all + 300));
	for (size_t bit = 0; bit < 8 * sizeof(all); bit++) {
		all[bit / 8] ^= (unsigned char)(1 << bit % 8);
		assert_false(aesgcm_open(&g, iv, a, all, to, 300, all + 300));
		all[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	for (size_t bit = 0; bit < 8 * sizeof(aad); bit++) {
		aad[bit / 8] ^= (unsigned char)(1 << bit % 8);
		assert_false(aesgcm_open(&g, iv, a, all, to, 300, all + 300));
		aad[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
}

static void a_cpu_without_instructions_leaves_it_to_mbedtls(void **state)
{
	(void)state;
	assert_false(records_fit(NBD_AES_128_GCM));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_published_vectors_give_their_results),
		cmocka_unit_test(every_length_has_the_result_of_mbedtls),
		cmocka_unit_test(a_change_of_any_bit_is_a_forgery),
	};
	const struct CMUnitTest without[] = {
		cmocka_unit_test(
			a_cpu_without_instructions_leaves_it_to_mbedtls),
	};

	if (argc > 1)
		path = argv[1];
	return aesgcm_usable() ? cmocka_run_group_tests(tests, NULL, NULL)
			       : cmocka_run_group_tests(without, NULL, NULL);
}
