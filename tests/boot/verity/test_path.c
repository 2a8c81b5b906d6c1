/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths in trees that are made here as veritysetup(8) makes them: each block, of
 * data or of the tree, is found right, and with one bit flipped wrong.
 */
#include "tests/boot/verity/made.h"

#include <stdlib.h>

static struct verity_block wrong;

/* ---- reading it ---- */

static unsigned reads;
static unsigned fails_at; /* the read that fails; 0: none */

static int from_image(void *ctx, bool of_tree, uint64_t at, uint8_t *to,
		      size_t len, struct nbd_diag *why)
{
	assert_ptr_equal(ctx, &image);
	assert_int_equal(len, BLOCK);
	assert_int_equal(at % BLOCK, 0);
	at /= BLOCK;
	assert_true(of_tree ? at && at <= image.tree_blocks
			    : at < image.blocks);
	if (++reads == fails_at)
		return nbd_diag(why, NBD_E_CUT, "cut");
	memcpy(to, of_tree ? image.tree[at] : image.data[at], len);
	return NBD_OK;
}

static int check(bool of_tree, uint64_t n)
{
	const struct verity_block b = { of_tree, n };

	reads = 0;
	return verity_path_check(&m, &b, from_image, &image, &wrong, &d);
}

static void flip(bool of_tree, uint64_t n)
{
	uint8_t *block = of_tree ? image.tree[n] : image.data[n];

	/* of a hash that is there, also in the last block */
	block[n % image.digest] ^= (uint8_t)(1u << n % 8);
}

/* Right, wrong if it is, and right again. */
static void assert_found(bool of_tree, uint64_t n)
{
	assert_int_equal(check(of_tree, n), NBD_OK);
	flip(of_tree, n);
	assert_int_equal(check(of_tree, n), NBD_E_MISMATCH);
	assert_int_equal(wrong.number, n);
	assert_int_equal(wrong.hash, of_tree);
	flip(of_tree, n);
}

static void all_blocks(uint64_t blocks, unsigned digest)
{
	make(blocks, digest);
	assert_int_equal(parse(), NBD_OK);
	for (uint64_t i = 0; i < blocks; i++)
		assert_found(false, i);
	for (uint64_t i = 1; i <= image.tree_blocks; i++)
		assert_found(true, i);
	assert_int_equal(check(false, blocks), NBD_E_RANGE);
	assert_int_equal(check(true, 0), NBD_E_RANGE);
	assert_int_equal(check(true, image.tree_blocks + 1), NBD_E_RANGE);
}

static void each_block_of_a_tree_is_found_right_or_wrong(void **state)
{
	static const unsigned sizes[] = { 1,  2,  8,   9,   16,	 17,
					  64, 65, 256, 257, 512, DATA };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		all_blocks(sizes[i], 32);
		all_blocks(sizes[i], 64);
	}
}

static void a_wrong_block_above_is_named(void **state)
{
	(void)state;
	make(DATA, 32);
	assert_int_equal(parse(), NBD_OK);
	flip(true, 1);
	assert_int_equal(check(false, 17), NBD_E_MISMATCH);
	assert_true(wrong.hash);
	assert_int_equal(wrong.number, 1);
	/* nothing below it is read */
	assert_int_equal(reads, 1);
}

static void a_read_that_fails_is_no_verdict(void **state)
{
	(void)state;
	make(DATA, 32);
	assert_int_equal(parse(), NBD_OK);
	for (fails_at = 1; fails_at <= 4; fails_at++) {
		assert_int_equal(check(false, 17), NBD_E_CUT);
		assert_int_equal(reads, fails_at);
	}
	fails_at = 0;
}

/* What FIPS 180-4 says of "abc". */
static void hashes_are_those_of_the_standard(void **state)
{
	const struct digest_piece a = { (const uint8_t *)"a", 1 },
				  bc = { (const uint8_t *)"bc", 2 };
	uint8_t is[VERITY_DIGEST];
	char text[VERITY_HEX];

	(void)state;
	digest_sha2(is, 32, a, bc);
	verity_hex(text, is, 32);
	assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223"
				  "b00361a396177a9cb410ff61f20015ad");
	digest_sha2(is, 64, a, bc);
	verity_hex(text, is, 64);
	assert_string_equal(text, "ddaf35a193617abacc417349ae204131"
				  "12e6fa4e89a97ea20a9eeee64b55d39a"
				  "2192992a274fc1a836ba3c23a3feebbd"
				  "454d4423643ce80e2a9ac94fa54ca49f");
}

#define H64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void other_tables_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"0 8 linear 43:0 0\n",
		"0 8 verity 0 43:0 43:0 4096 4096 1 2 sha256 " H64 " -\n",
		"8 8 verity 1 43:0 43:0 4096 4096 1 2 sha256 " H64 " -\n",
		"0 8 verity 1 43:0 43:0 8192 4096 1 2 sha256 " H64 " -\n",
		"0 8 verity 1 43:0 43:0 4096 256 1 2 sha256 " H64 " -\n",
		"0 8 verity 1 43:0 43:0 4096 4096 0 2 sha256 " H64 " -\n",
		"0 8 verity 1 43:0 43:0 4096 4096 1 2 sha256 " H64 "\n",
		"0 8 verity 1 43:0 43:0 4096 4096 1 2 sha256 " H64 " 0\n",
		"0 8 verity 1 43:0 43:0 4096 4096 1 2 sha1 0123 -\n",
		"0 8 verity 1 43:0 43:0 4096 4096 1 2 md5 " H64 " -\n",
		"0 8 verity 1 43:0 43:0 4096 4096 1x 2 sha256 " H64 " -\n",
		"0 8 verity 1 43:0 43:012345678901234 4096 4096 1 2 sha256 " H64
		" -\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char *flush = strdup(bad[i]); /* a sanitizer sees its end */

		assert_int_equal(verity_map_parse(&m, flush, &d),
				 NBD_E_MISMATCH);
		free(flush);
	}
	assert_int_equal(
		verity_map_parse(&m,
				 "0 8 verity 1 43:0 43:32 4096 4096 1 2 "
				 "sha256 " H64 " -\n",
				 &d),
		NBD_OK);
	assert_string_equal(m.hash, "43:32");
	assert_int_equal(m.tree.salt_len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_block_of_a_tree_is_found_right_or_wrong),
		cmocka_unit_test(a_wrong_block_above_is_named),
		cmocka_unit_test(a_read_that_fails_is_no_verdict),
		cmocka_unit_test(hashes_are_those_of_the_standard),
		cmocka_unit_test(other_tables_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
