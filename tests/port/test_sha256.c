/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 with the vectors of FIPS 180-4, and at each end of a block. */
#include "port/sha256.h"
#include "port/mbedtls/digest.h"
#include "tests/unit.h"

#include <stdlib.h>

static void assert_hash(const char *text, size_t len, const char *hex)
{
	uint8_t hash[NBD_SHA256];
	char is[2 * NBD_SHA256 + 1];

	nbd_sha256(hash, text, len);
	for (unsigned i = 0; i < NBD_SHA256; i++)
		snprintf(is + (size_t)2 * i, 3, "%02x", hash[i]);
	assert_string_equal(is, hex);
}

static void hashes_are_those_of_the_standard(void **state)
{
	static const char two[] = "abcdbcdecdefdefgefghfghighijhijk"
				  "ijkljklmklmnlmnomnopnopq";

	(void)state;
	assert_hash("abc", 3,
		    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61"
		    "f20015ad");
	assert_hash("", 0,
		    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b"
		    "7852b855");
	assert_hash(two, 56,
		    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd4"
		    "19db06c1");
}

static void each_length_agrees_with_another_program(void **state)
{
	(void)state;
	for (size_t len = 0; len < 300; len++) {
		/* its end is seen by a sanitizer */
		uint8_t *p = malloc(len ? len : 1);
		uint8_t ours[NBD_SHA256], theirs[NBD_SHA256];
		struct digest_piece a = { p, len / 3 },
				    b = { p + len / 3, len - len / 3 };

		for (size_t i = 0; i < len; i++)
			p[i] = (uint8_t)(i * 31 + len);
		nbd_sha256(ours, p, len);
		digest_sha2(theirs, NBD_SHA256, a, b);
		assert_memory_equal(ours, theirs, NBD_SHA256);
		free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hashes_are_those_of_the_standard),
		cmocka_unit_test(each_length_agrees_with_another_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
