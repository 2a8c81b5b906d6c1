/* SPDX-License-Identifier: BSD-2-Clause */
/* What the words of a verified root ask for. */
#include "boot/verity/wanted.h"
#include "tests/unit.h"

#define H16  "0123456789abcdef"
#define H32  H16 "FEDCBA9876543210"
#define H64  H32 H32
#define H128 H64 H64

static struct verity_wanted w;
static struct nbd_diag d;

static int take(const char *root, const char *options, const char *policy)
{
	const struct verity_words words = {
		.of = "root", .root = root, .options = options, .ours = policy
	};

	return verity_wanted(&w, &words, &d);
}

static void a_root_hash_says_its_algorithm(void **state)
{
	char hex[VERITY_HEX];

	(void)state;
	assert_int_equal(take(H64, NULL, NULL), NBD_OK);
	assert_int_equal(w.digest, 32);
	assert_string_equal(verity_algorithm(&w), "sha256");
	verity_hex(hex, w.root, 32);
	assert_string_equal(hex, "0123456789abcdeffedcba9876543210"
				 "0123456789abcdeffedcba9876543210");
	assert_string_equal(w.policy, "");
	assert_int_equal(take(H128, NULL, NULL), NBD_OK);
	assert_string_equal(verity_algorithm(&w), "sha512");
}

static void another_text_is_no_root_hash(void **state)
{
	static const char *const texts[] = {
		"",
		"0",
		H32,
		H64 "0",
		H64 "00",
		H128 "00",
		"g" H64,
		"x123456789abcdef" H32 H16,
		H32 H16 "0123456789abcde ",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(take(texts[i], NULL, NULL), NBD_E_USAGE);
		assert_non_null(strstr(d.text, "roothash="));
	}
}

static void partitions_are_named_by_the_halves(void **state)
{
	char part[VERITY_PART];

	(void)state;
	take("00112233445566778899aabbccddeeff" H16 "f0e1d2c3b4a59687", NULL,
	     NULL);
	verity_part(part, &w, false);
	assert_string_equal(part,
			    "PARTUUID=00112233-4455-6677-8899-aabbccddeeff");
	verity_part(part, &w, true);
	assert_string_equal(part,
			    "PARTUUID=01234567-89ab-cdef-f0e1-d2c3b4a59687");
}

static void options_are_those_of_veritytab(void **state)
{
	(void)state;
	assert_int_equal(take(H64,
			      "superblock=no,data-block-size=1024,"
			      "hash-block-size=512,data-blocks=7,"
			      "hash-offset=8192,salt=00ff,format=1,hash=sha256,"
			      "uuid=x,ignore-zero-blocks,panic-on-corruption",
			      NULL),
			 NBD_OK);
	assert_true(w.bare);
	assert_int_equal(w.data_block, 1024);
	assert_int_equal(w.hash_block, 512);
	assert_int_equal(w.data_blocks, 7);
	assert_int_equal(w.hash_offset, 8192);
	assert_int_equal(w.salt_len, 2);
	assert_int_equal(w.salt[1], 0xff);
	assert_true(w.zero);
	assert_string_equal(w.policy, "panic_on_corruption");
	assert_false(w.fec);
	assert_int_equal(take(H64,
			      "fec-device=/dev/nbd0p3,fec-roots=5,"
			      "fec-offset=4096",
			      NULL),
			 NBD_OK);
	assert_true(w.fec);
	assert_string_equal(w.codes, "3");
	assert_int_equal(w.roots, 5);
	assert_int_equal(w.codes_at, 4096);
	assert_int_equal(take(H64, "fec-device=/dev/nbd0,zero", NULL),
			 NBD_E_USAGE);
	assert_string_equal(w.codes, "");
	assert_int_equal(w.roots, 2);
	/* ours has the last word */
	assert_int_equal(take(H64, "panic-on-corruption,,", "fail"), NBD_OK);
	assert_string_equal(w.policy, "");
	assert_int_equal(take(H64, "salt=-", "restart"), NBD_OK);
	assert_true(w.salted && !w.salt_len);
	assert_string_equal(w.policy, "restart_on_corruption");
}

/* None is ignored: it may be what the image was made with. */
static void other_options_are_refused(void **state)
{
	static const char *const options[][2] = {
		{ "ignore-corruption", "let wrong data through" },
		{ "check-at-most-once", "the second time" },
		{ "fec-device=/dev/sda1", "not PARTUUID=" },
		{ "fec-device=UUID=1", "not PARTUUID=" },
		{ "fec-device=nbd://h/x", "in the export of root=" },
		{ "fec-device=", "the value is missing" },
		{ "fec-device=PARTLABEL=" H128 H32, "too long" },
		{ "fec-device", "not known" },
		{ "fec-roots=1", "not a possible value" },
		{ "fec-roots=25", "not a possible value" },
		{ "fec-offset=x", "not a possible value" },
		{ "fec-x=1", "not known" },
		{ "root-hash-signature=/x", "can leave it out" },
		{ "format=0", "not a possible value" },
		{ "hash=sha512", "not a possible value" },
		{ "hash=md5", "not a possible value" },
		{ "data-block-size=768", "not a possible value" },
		{ "data-block-size=8192", "not a possible value" },
		{ "hash-block-size=", "not a possible value" },
		{ "hash-offset=1", "not a possible value" },
		{ "hash-offset=99999999999999999999", "not a possible value" },
		{ "data-blocks=0", "not a possible value" },
		{ "salt=0", "not a possible value" },
		{ "salt=zz", "not a possible value" },
		{ "new", "not known" },
		{ "salt", "not known" },
		{ "uuidx=1", "not known" },
		{ "uui=1", "not known" },
		{ "ignore-corruptions", "not known" },
		{ "fec", "not known" },
		{ "superblock=0", "data-blocks= is needed" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		assert_int_equal(take(H64, options[i][0], NULL), NBD_E_USAGE);
		assert_non_null(strstr(d.text, options[i][1]));
	}
	assert_int_equal(take(H64, NULL, ""), NBD_E_USAGE);
	assert_int_equal(take(H64, NULL, "ignore"), NBD_E_USAGE);
}

static int take_devices(const char *data, const char *hash)
{
	const struct verity_words words = {
		.of = "root", .root = H64, .data = data, .hash = hash
	};

	return verity_wanted(&w, &words, &d);
}

static void devices_are_parts_of_the_export(void **state)
{
	static const char *const wrong[] = {
		"",
		"/dev/sda1",
		"LABEL=root",
		"UUID=1-2",
		"/dev/nbd0p0",
		"/dev/nbd0p",
		"/dev/nbd0p300",
		"http://h/hash",
		"/dev/nbd0x",
	};

	(void)state;
	assert_int_equal(take_devices(NULL, NULL), NBD_OK);
	assert_null(w.data);
	assert_null(w.hash);
	assert_int_equal(take_devices("/dev/nbd3", "/dev/nbd0p12"), NBD_OK);
	assert_string_equal(w.data, "");
	assert_string_equal(w.hash, "12");
	assert_int_equal(take_devices("PARTLABEL=a", "PARTUUID=b"), NBD_OK);
	assert_string_equal(w.data, "PARTLABEL=a");
	assert_string_equal(w.hash, "PARTUUID=b");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(take_devices(wrong[i], NULL), NBD_E_USAGE);
		assert_int_equal(take_devices(NULL, wrong[i]), NBD_E_USAGE);
	}
	assert_int_equal(take_devices("nbd://h/data", NULL), NBD_E_USAGE);
	assert_non_null(strstr(d.text, "in the export of root="));
}

static void a_tree_is_in_an_export_or_in_a_part(void **state)
{
	static const char uris[] = "nbd://a/t,nbds://b/t";
	struct verity_words words = { .of = "root", .root = H64 };

	(void)state;
	assert_int_equal(take_devices("/dev/nbd0p2", uris), NBD_OK);
	assert_string_equal(w.tree, uris);
	assert_null(w.hash);
	assert_int_equal(take(H64, "hash-offset=4096,panic-on-corruption",
			      uris),
			 NBD_OK);
	assert_string_equal(w.tree, uris);
	assert_string_equal(w.policy, "panic_on_corruption");
	words.hash = "/dev/nbd0p3";
	words.ours = uris;
	assert_int_equal(verity_wanted(&w, &words, &d), NBD_E_USAGE);
	assert_non_null(strstr(d.text, "names another place"));
	words.hash = "nbd://c/t";
	assert_int_equal(verity_wanted(&w, &words, &d), NBD_OK);
	assert_string_equal(w.tree, uris);
	words.hash = "http://c/t";
	assert_int_equal(verity_wanted(&w, &words, &d), NBD_E_USAGE);
}

/* A message has the word that was given. */
static void words_of_usr_are_named_by_their_own_names(void **state)
{
	static const struct verity_words wrong[] = {
		{ "usr", "12", NULL, NULL, NULL, NULL },
		{ "usr", H64, "/dev/sda", NULL, NULL, NULL },
		{ "usr", H64, NULL, "LABEL=a", NULL, NULL },
		{ "usr", H64, NULL, NULL, "x=1", NULL },
		{ "usr", H64, NULL, NULL, NULL, "x" },
	};
	static const char *const want[] = {
		"usrhash=12: ",
		"systemd.verity_usr_data=/dev/sda: ",
		"systemd.verity_usr_hash=LABEL=a: ",
		"systemd.verity_usr_options=x=1: ",
		"nbdboot.verity=x: ",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(verity_wanted(&w, &wrong[i], &d), NBD_E_USAGE);
		assert_memory_equal(d.text, want[i], strlen(want[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_root_hash_says_its_algorithm),
		cmocka_unit_test(another_text_is_no_root_hash),
		cmocka_unit_test(partitions_are_named_by_the_halves),
		cmocka_unit_test(options_are_those_of_veritytab),
		cmocka_unit_test(other_options_are_refused),
		cmocka_unit_test(devices_are_parts_of_the_export),
		cmocka_unit_test(a_tree_is_in_an_export_or_in_a_part),
		cmocka_unit_test(words_of_usr_are_named_by_their_own_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
