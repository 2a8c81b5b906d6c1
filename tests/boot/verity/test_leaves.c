/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data that is compared with trees which are made here: each block that is
 * another one is found, and of the tree no more is read than that needs.
 */
#include "boot/verity/leaves.h"
#include "tests/boot/verity/made.h"

static struct verity_leaves v;
static uint8_t data[DATA][BLOCK]; /* what is compared */
static uint8_t hashed[VERITY_BLOCK];
static const uint8_t *hashes;
static unsigned reads;
static unsigned fails_at; /* the read that fails; 0: none */

static int from_tree(void *ctx, bool of_tree, uint64_t at, uint8_t *to,
		     size_t len, struct nbd_diag *why)
{
	assert_ptr_equal(ctx, &image);
	assert_true(of_tree);
	assert_int_equal(len, BLOCK);
	at /= BLOCK;
	assert_true(at && at <= image.tree_blocks);
	if (++reads == fails_at)
		return nbd_diag(why, NBD_E_CUT, "cut");
	memcpy(to, image.tree[at], len);
	return NBD_OK;
}

/* A tree over so many blocks, and the same data. */
static int begin(unsigned blocks, unsigned digest, bool trusted)
{
	make(blocks, digest);
	assert_int_equal(parse(), NBD_OK);
	memcpy(data, image.data, sizeof(data));
	memset(&v, 0, sizeof(v));
	v.map = m;
	v.read = from_tree;
	v.ctx = &image;
	reads = 0;
	fails_at = 0;
	if (!trusted)
		memset(v.map.root, 0, sizeof(v.map.root));
	return verity_leaves_begin(&v, trusted, &d);
}

static unsigned fan(void)
{
	return BLOCK / image.digest;
}

static int compare(uint64_t leaf)
{
	return verity_leaf_compare(&v, leaf, data[leaf * fan()], hashed,
				   &hashes, &d);
}

/* Which block of leaf n differs; -1: none. */
static int differs(uint64_t n)
{
	assert_int_equal(compare(n), NBD_OK);
	for (unsigned i = 0; hashes && i < fan(); i++)
		if (memcmp(hashes + i * image.digest, hashed + i * image.digest,
			   image.digest) != 0)
			return (int)i;
	return -1;
}

static void all_blocks(unsigned blocks, unsigned digest)
{
	assert_int_equal(begin(blocks, digest, true), NBD_OK);
	assert_int_equal(verity_leaf_span(&v), fan() * BLOCK);
	for (unsigned i = 0; i < blocks; i++) {
		assert_int_equal(differs(i / fan()), -1);
		assert_null(hashes);
		data[i][i % BLOCK] ^= 1;
		assert_int_equal(differs(i / fan()), i % fan());
		data[i][i % BLOCK] ^= 1;
	}
}

static void each_block_that_differs_is_found(void **state)
{
	static const unsigned sizes[] = { 1,  2,   8,	9,   16,
					  17, 256, 257, 512, DATA };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		all_blocks(sizes[i], 32);
		all_blocks(sizes[i], 64);
	}
}

static void what_is_the_same_needs_no_leaf(void **state)
{
	unsigned leaves = (DATA + 15) / 16, above = (leaves + 15) / 16;

	(void)state;
	assert_int_equal(begin(DATA, 32, true), NBD_OK);
	for (unsigned i = 0; i < leaves; i++)
		assert_int_equal(differs(i), -1);
	assert_int_equal(reads, 1 + above);
	/* one leaf, and the way to it */
	data[0][0] ^= 1;
	assert_int_equal(differs(0), 0);
	assert_int_equal(reads, 1 + above + 2);
}

static void zeroes_need_no_data(void **state)
{
	(void)state;
	assert_int_equal(begin(40, 32, true), NBD_OK);
	/* the tree is over what make() has put there */
	assert_int_equal(verity_leaf_compare(&v, 1, NULL, hashed, &hashes, &d),
			 NBD_OK);
	assert_non_null(hashes);
	memset(data[16], 0, 16 * BLOCK);
	assert_int_equal(differs(1), 0);
	for (unsigned i = 0; i < 16; i++)
		assert_memory_equal(hashed + i * 32, v.zero, 32);
	verity_leaf_hash(&v, NULL, hashed);
	verity_leaf_hash(&v, data[16], hashed + 32);
	assert_memory_equal(hashed, hashed + 32, 32);
}

static void a_tree_is_what_its_root_hash_says(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 3; n++) {
		assert_int_equal(begin(DATA, 32, true), NBD_OK);
		data[0][0] ^= 1;
		/* the root, the first one below it, the first leaf */
		image.tree[n == 1 ? 1 : n == 2 ? 2 : 5][3] ^= 1;
		memset(v.at, 0, sizeof(v.at));
		assert_int_equal(compare(0), NBD_E_MISMATCH);
		assert_non_null(strstr(d.text, n == 1	? "of level 2"
					       : n == 2 ? "of level 1"
							: "of level 0"));
	}
	/* not the one that is trusted */
	make(DATA, 32);
	image.root[0] ^= 1;
	assert_int_equal(parse(), NBD_OK);
	memset(&v, 0, sizeof(v));
	v.map = m;
	v.read = from_tree;
	v.ctx = &image;
	assert_int_equal(verity_leaves_begin(&v, true, &d), NBD_E_MISMATCH);
}

static void without_a_root_hash_the_tree_says_it(void **state)
{
	(void)state;
	assert_int_equal(begin(DATA, 64, false), NBD_OK);
	assert_memory_equal(v.map.root, image.root, 64);
	assert_int_equal(differs(3), -1);
	/* over one block there is no tree */
	assert_int_equal(begin(1, 32, false), NBD_E_MISMATCH);
}

static void a_read_that_fails_is_made_again(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 3; n++) {
		assert_int_equal(begin(DATA, 32, true), NBD_OK);
		memset(v.at, 0, sizeof(v.at));
		data[5][0] ^= 1;
		reads = 0;
		fails_at = n;
		assert_int_equal(compare(0), NBD_E_CUT);
		assert_int_equal(differs(0), 5);
		assert_int_equal(reads, 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_block_that_differs_is_found),
		cmocka_unit_test(what_is_the_same_needs_no_leaf),
		cmocka_unit_test(zeroes_need_no_data),
		cmocka_unit_test(a_tree_is_what_its_root_hash_says),
		cmocka_unit_test(without_a_root_hash_the_tree_says_it),
		cmocka_unit_test(a_read_that_fails_is_made_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
