/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot.overlay=: the words that it takes. */
#include "tests/unit.h"

#include "boot/init/overlay.h"

static void words_of_an_overlay_are_understood(void **state)
{
	static const char *const good[] = {
		"",	      "tmpfs",
		"size=1",     "size=512m",
		"size=2G",    "size=100k",
		"size=70%",   "tmpfs,size=70%",
		"tmpfs,",     "nbd://h/",
		"nbd://h/up", "nbd://[::1]:1/up",
		"nbds://h/x", "nbd+unix:///x?socket=/s",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(init_overlay_check(good[i], 0, NULL), 0);
}

static void other_words_are_refused_by_name(void **state)
{
	static const char *const bad[] = {
		"ramfs",
		"tmpfssize=1",
		"size=",
		"size=k",
		"size=1kk",
		"size=-1",
		"size=1,mode=0",
		"size=1 ",
		"tmpfs,,size=1",
		"SIZE=1",
		"size=0x10",
		"/dev/sda",
		"size=1000000000000000",
	};
	struct nbd_diag d;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(init_overlay_check(bad[i], 0, &d),
				 NBD_E_USAGE);
		assert_non_null(strstr(d.text, bad[i]));
		assert_non_null(strstr(d.text, "nbdboot.overlay="));
	}
}

static void a_broken_uri_is_refused_with_its_place(void **state)
{
	struct nbd_diag d;

	(void)state;
	assert_int_equal(init_overlay_check("nbd://h:99999/", 0, &d),
			 NBD_E_URI);
	assert_non_null(strstr(d.text, "nbd://h:99999/"));
	assert_non_null(strstr(d.text, "nbdboot.overlay="));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_an_overlay_are_understood),
		cmocka_unit_test(other_words_are_refused_by_name),
		cmocka_unit_test(a_broken_uri_is_refused_with_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
