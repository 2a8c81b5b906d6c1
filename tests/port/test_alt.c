/* SPDX-License-Identifier: BSD-2-Clause */
/* What the static program has in place of mbedTLS's own code. */
#include "tests/unit.h"
#include "port/mbedtls/alt.c"

#define SHA1_START                  \
	{                           \
		.state = {          \
			0x67452301, \
			0xefcdab89, \
			0x98badcfe, \
			0x10325476, \
			0xc3d2e1f0  \
		}                   \
	}

static void sha1_of_abc_is_right(void **state)
{
	/* FIPS 180-4, the examples of SHA-1 */
	static const uint32_t digest[] = { 0xa9993e36, 0x4706816a, 0xba3e2571,
					   0x7850c26c, 0x9cd0d89d };
	static const unsigned char block[64] = { 'a', 'b', 'c',
						 0x80, [63] = 24 };
	mbedtls_sha1_context c = SHA1_START;

	(void)state;
	assert_int_equal(mbedtls_internal_sha1_process(&c, block), 0);
	assert_memory_equal(c.state, digest, sizeof(digest));
}

static void sha1_of_a_million_letters_is_right(void **state)
{
	static const uint32_t digest[] = { 0x34aa973c, 0xd4c4daa4, 0xf61eeb2b,
					   0xdbad2731, 0x6534016f };
	/* a million bytes are 15,625 blocks; then 8,000,000 bits */
	static const unsigned char end[64] = {
		0x80, [61] = 0x7a, [62] = 0x12, [63] = 0x00
	};
	unsigned char block[64];
	mbedtls_sha1_context c = SHA1_START;

	(void)state;
	memset(block, 'a', sizeof(block));
	for (unsigned i = 0; i < 15625; i++)
		mbedtls_internal_sha1_process(&c, block);
	mbedtls_internal_sha1_process(&c, end);
	assert_memory_equal(c.state, digest, sizeof(digest));
}

static void aes_decrypts_no_block(void **state)
{
	mbedtls_aes_context c = { 0 };
	unsigned char key[16] = { 0 }, out[16] = { 0 };

	(void)state;
	assert_true(mbedtls_aes_setkey_dec(&c, key, 128) < 0);
	assert_true(mbedtls_internal_aes_decrypt(&c, key, out) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha1_of_abc_is_right),
		cmocka_unit_test(sha1_of_a_million_letters_is_right),
		cmocka_unit_test(aes_decrypts_no_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
