/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of words, and its queries. */
#include "tests/unit.h"

#include "boot/words/word.h"

static void a_word_has_its_scopes(void **state)
{
	static const struct {
		const char *word;
		unsigned scope;
	} t[] = {
		/* for the kernel or for other programs */
		{ "quiet", 0 },
		{ "panic=5", 0 },
		{ "", 0 },
		{ "=", 0 },
		{ "ipx=1", 0 },
		{ "nbdboots=1", 0 },
		{ "a_name_that_is_longer_than_any_of_ours=1", 0 },
		/* of each part of the table one */
		{ "root=x", WORD_ROOT | WORD_FIRMWARE | WORD_USER },
		{ "rootflags=x", WORD_ROOT | WORD_MOUNT | WORD_OPTIONS },
		{ "rw", WORD_ROOT },
		{ "nbd_host=x", WORD_ROOT | WORD_FIRMWARE },
		{ "archiso_nbd_srv=x", WORD_ROOT },
		{ "BOOT_IMAGE=x", WORD_ROOT },
		{ "ip=x", WORD_NETWORK | WORD_FIRMWARE },
		{ "vlan=x", WORD_NETWORK },
		{ "nbdboot.tls=x", WORD_OURS | WORD_FIRMWARE },
		{ "nbdboot.part=x", WORD_OURS | WORD_ONCE },
		{ "nbdboot.io-timeout=x", WORD_OURS },
		{ "nbdboot.identity=0", WORD_OURS },
		{ "nbdboot.slots=x", WORD_OURS | WORD_ONCE },
		{ "nbdboot.tune=x", WORD_OURS },
		{ "nbdboot.watch=0", WORD_OURS },
		{ "nbdboot.renew=0", WORD_OURS },
		{ "nbdboot.toram", WORD_OURS | WORD_ONCE },
		{ "nbdboot.prefetch", WORD_OURS | WORD_BARE },
		{ "nbdboot.timeout=x", WORD_OURS | WORD_ONCE | WORD_FIRMWARE },
		{ "nbdboot.overlay", WORD_OURS | WORD_ONCE | WORD_MOUNT },
		/* of another version */
		{ "nbdboot.x=1", WORD_OURS },
		/* as the kernel reads names */
		{ "\"root=a b\"", WORD_ROOT | WORD_FIRMWARE | WORD_USER },
		{ "nbdboot.io_timeout=x", WORD_OURS },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		if (boot_words_scope(t[i].word, SIZE_MAX) != t[i].scope)
			fail_msg("%s", t[i].word);
}

static void a_word_ends_where_the_caller_says(void **state)
{
	(void)state;
	assert_int_equal(boot_words_scope("rootflags=x", 4),
			 WORD_ROOT | WORD_FIRMWARE | WORD_USER);
	assert_int_equal(boot_words_scope("rootflags=x", 5), 0);
	assert_int_equal(boot_words_scope("\"root=x\"", 5),
			 WORD_ROOT | WORD_FIRMWARE | WORD_USER);
	assert_int_equal(boot_words_scope("\"", 1), 0);
	assert_int_equal(boot_words_scope("root", 0), 0);
	assert_int_equal(boot_words_scope("root=x ip=y", SIZE_MAX),
			 WORD_ROOT | WORD_FIRMWARE | WORD_USER);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_has_its_scopes),
		cmocka_unit_test(a_word_ends_where_the_caller_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
