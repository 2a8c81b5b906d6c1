/* SPDX-License-Identifier: BSD-2-Clause */
/* Superblocks of hash trees, and the tables that come of them. */
#include "boot/verity/tree.h"
#include "tests/unit.h"

#include <sys/mman.h>
#include <unistd.h>

#define H64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct verity_tree t;
static struct verity_wanted w;
static struct nbd_diag d;
/* What veritysetup 2.6.1 makes of 10 MiB: 2560 blocks and 21 of the tree. */
static const struct verity_room room = { .data = 10575872,
					 .hash = 10575872,
					 .same = true };
#define AT 10485760u

static void want(const char *options)
{
	const struct verity_words words = { .of = "root",
					    .root = H64,
					    .options = options };

	assert_int_equal(verity_wanted(&w, &words, &d), NBD_OK);
}

/* Flush with the end of a page, behind which nothing can be read. */
static uint8_t *superblock(void)
{
	static uint8_t *page;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *sb;

	if (!page) {
		page = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_true(page != MAP_FAILED);
		mprotect(page + size, size, PROT_NONE);
	}
	sb = page + size - VERITY_SUPER;
	memset(sb, 0, VERITY_SUPER);
	memcpy(sb, "verity\0\0\1\0\0\0\1\0\0\0", 16);
	memset(sb + 16, 0x5a, 16); /* its UUID */
	memcpy(sb + 32, "sha256", 6);
	sb[65] = sb[69] = 0x10;
	sb[73] = 0x0a;
	sb[80] = 2;
	sb[88] = 0xab;
	sb[89] = 0xcd;
	return sb;
}

static int parse(const uint8_t *sb)
{
	return verity_tree_parse(&t, sb, AT, &w, &room, &d);
}

static void a_superblock_gives_a_table(void **state)
{
	char table[VERITY_TABLE];

	(void)state;
	want(NULL);
	assert_int_equal(parse(superblock()), NBD_OK);
	assert_true(verity_tree_table(table, &t, &w, "43:0", "43:1", NULL) > 0);
	assert_string_equal(table,
			    "0 20480 verity 1 43:0 43:1 4096 4096 2560 2561 "
			    "sha256 " H64 " abcd\n");
	want("restart-on-corruption,salt=abcd");
	assert_int_equal(parse(superblock()), NBD_OK);
	verity_tree_table(table, &t, &w, "43:0", "43:1", NULL);
	assert_non_null(strstr(table, " abcd 1 restart_on_corruption\n"));
	want("panic-on-corruption,ignore-zero-blocks");
	t.salt_len = 0;
	verity_tree_table(table, &t, &w, "43:0", "43:1", NULL);
	assert_non_null(strstr(table, " - 2 panic_on_corruption "
				      "ignore_zero_blocks\n"));
	/* the longest fits */
	memset(&w, 0xff, sizeof(w));
	w.digest = VERITY_DIGEST;
	w.zero = true;
	w.policy = "restart_on_corruption";
	memset(&t, 0xff, sizeof(t));
	t.data_block = 512; /* parse() knows that the size does not wrap */
	t.salt_len = VERITY_SALT;
	assert_true(verity_tree_table(table, &t, &w, "4095:1048575",
				      "4095:1048575", "4095:1048575") > 0);
}

/* As VERITY_FEC_blocks() of cryptsetup counts. */
static void codes_cover_the_data_and_the_tree(void **state)
{
	static const struct {
		const char *options;
		bool behind;
		const char *want; /* of the table, or of the reason */
		int rc;
	} cases[] = {
		{ "fec-device=/dev/nbd0p3", false,
		  " 8 use_fec_from_device 43:2 fec_roots 2 fec_blocks 2583 "
		  "fec_start 0\n",
		  NBD_OK },
		{ "fec-device=/dev/nbd0,fec-offset=10575872,fec-roots=24,"
		  "panic-on-corruption",
		  true,
		  " 9 panic_on_corruption use_fec_from_device 43:2 fec_roots 24 "
		  "fec_blocks 2581 fec_start 2582\n",
		  NBD_OK },
		{ "fec-device=/dev/nbd0,fec-offset=10575873", true,
		  "not a multiple", NBD_E_MISMATCH },
		{ "fec-device=/dev/nbd0", true, "before the hash tree",
		  NBD_E_MISMATCH },
		{ "fec-device=/dev/nbd0,fec-offset=10489856", true,
		  "before the hash tree", NBD_E_MISMATCH },
	};
	struct verity_room with = room;
	char table[VERITY_TABLE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		want(cases[i].options);
		with.hash = (2561 + 23) * 4096;
		with.behind = cases[i].behind;
		assert_int_equal(parse(superblock()), NBD_OK);
		assert_int_equal(verity_tree_codes(&t, &w, &with, &d),
				 cases[i].rc);
		verity_tree_table(table, &t, &w, "43:0", "43:1", "43:2");
		assert_non_null(
			strstr(cases[i].rc ? d.text : table, cases[i].want));
	}
	want("fec-device=/dev/nbd0p3");
	t.data_block = 512;
	assert_int_equal(verity_tree_codes(&t, &w, &with, &d), NBD_E_MISMATCH);
}

/* But for the UUID, whose bits mean nothing, and for the salt's, which count. */
static void no_bit_of_a_superblock_can_change(void **state)
{
	(void)state;
	want("salt=abcd,data-blocks=2560");
	for (unsigned bit = 0; bit < VERITY_SUPER * 8; bit++) {
		uint8_t *sb = superblock();
		unsigned at = bit / 8;
		bool uuid = at >= 16 && at < 32;

		sb[at] ^= (uint8_t)(1u << bit % 8);
		if (uuid)
			assert_int_equal(parse(sb), NBD_OK);
		else
			assert_true(parse(sb) == (at < 8 ? NBD_E_NOT_FOUND
							 : NBD_E_MISMATCH));
	}
}

static void refused(unsigned at, const char *bytes, size_t len, const char *why)
{
	uint8_t *sb = superblock();

	memcpy(sb + at, bytes, len);
	assert_int_equal(parse(sb), NBD_E_MISMATCH);
	assert_non_null(strstr(d.text, why));
}

static void what_a_superblock_must_not_say(void **state)
{
	(void)state;
	want(NULL);
	refused(8, "\2", 1, "not version 1");
	refused(12, "\0", 1, "not hash type 1");
	refused(32, "sha512", 6, "that of roothash=");
	refused(32, "sha256-x", 8, "that of roothash=");
	refused(64, "\0\0\0\0", 4, "512 to 4096");
	refused(64, "\0\1\0\0", 4, "512 to 4096");
	refused(68, "\0\x20\0\0", 4, "512 to 4096");
	refused(68, "\0\x0c\0\0", 4, "512 to 4096");
	refused(72, "\0\0\0\0\0\0\0\0", 8, "the device has 2582");
	refused(72, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, "the device has");
	refused(72, "\1\x0a\0\0\0\0\0\0", 8, "begin in the data");
	refused(80, "\1\1", 2, "salt");
	refused(80, "\1\0", 2, "salt");
}

static void a_tree_has_to_be_on_its_device(void **state)
{
	struct verity_room small = room;

	(void)state;
	want(NULL);
	small.hash -= 1;
	assert_int_equal(verity_tree_parse(&t, superblock(), AT, &w, &small,
					   &d),
			 NBD_E_MISMATCH);
	assert_non_null(strstr(d.text, "the tree of 21 blocks is cut off"));
	/* on another device it may begin anywhere */
	small = (struct verity_room){ AT, 22 * 4096, false, false };
	assert_int_equal(verity_tree_parse(&t, superblock(), 0, &w, &small, &d),
			 NBD_OK);
	assert_int_equal(t.start, 1);
	small.hash -= 4096;
	assert_int_equal(verity_tree_parse(&t, superblock(), 0, &w, &small, &d),
			 NBD_E_MISMATCH);
	small = (struct verity_room){ AT - 1, 22 * 4096, false, false };
	assert_int_equal(verity_tree_parse(&t, superblock(), 0, &w, &small, &d),
			 NBD_E_MISMATCH);
}

static void words_and_superblock_agree(void **state)
{
	static const char *const wrong[] = { "salt=abce", "salt=-",
					     "data-blocks=2559",
					     "data-block-size=1024",
					     "hash-block-size=1024" };

	(void)state;
	want("salt=abcd,data-blocks=2560,data-block-size=4096");
	assert_int_equal(parse(superblock()), NBD_OK);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		want(wrong[i]);
		assert_int_equal(parse(superblock()), NBD_E_MISMATCH);
		assert_non_null(strstr(d.text, "verity_root_options="));
	}
}

static void without_a_superblock_words_say_all(void **state)
{
	struct verity_room bare = { AT, 21 * 4096, false, false };

	(void)state;
	want("superblock=0,data-blocks=2560,salt=01");
	assert_int_equal(verity_tree_bare(&t, 0, &w, &bare, &d), NBD_OK);
	assert_int_equal(t.start, 0);
	assert_int_equal(t.hash_block, 4096);
	assert_int_equal(t.salt_len, 1);
	assert_int_equal(verity_tree_bare(&t, 512, &w, &bare, &d),
			 NBD_E_MISMATCH);
	assert_int_equal(verity_tree_bare(&t, 4096, &w, &bare, &d),
			 NBD_E_MISMATCH);
}

/* Of each number of blocks the size says where the tree begins. */
static void a_size_says_where_the_superblock_is(void **state)
{
	(void)state;
	want(NULL);
	assert_int_equal(verity_tree_guess(room.hash, &w), AT);
	/* a sector of padding is no block */
	assert_int_equal(verity_tree_guess(room.hash + 512, &w), AT);
	assert_int_equal(verity_tree_guess(0, &w), 0);
	assert_int_equal(verity_tree_guess(4096, &w), 0);
	for (uint64_t n = 1, sum; n < 70000; n += n < 300 ? 1 : 251) {
		sum = n > 1;
		for (uint64_t level = (n + 127) / 128; n > 1;
		     level = (level + 127) / 128) {
			sum += level > 1 ? level : 0;
			if (level == 1)
				break;
		}
		assert_int_equal(verity_tree_guess((n + 1 + sum) * 4096, &w),
				 n * 4096);
	}
	/* nothing wraps */
	assert_true(verity_tree_guess(INT64_MAX, &w) < INT64_MAX);
	want("data-block-size=512,hash-block-size=4096");
	assert_int_equal(verity_tree_guess(512 + 4096, &w), 512);
	assert_int_equal(verity_tree_guess(4096 * 2, &w), 7 * 512);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_superblock_gives_a_table),
		cmocka_unit_test(codes_cover_the_data_and_the_tree),
		cmocka_unit_test(no_bit_of_a_superblock_can_change),
		cmocka_unit_test(what_a_superblock_must_not_say),
		cmocka_unit_test(a_tree_has_to_be_on_its_device),
		cmocka_unit_test(words_and_superblock_agree),
		cmocka_unit_test(without_a_superblock_words_say_all),
		cmocka_unit_test(a_size_says_where_the_superblock_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
