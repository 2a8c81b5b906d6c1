/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot.overlay=: the words that it takes. */
#include "tests/unit.h"

#include "boot/init/overlay.h"

static int check_words(const char *overlay, bool tls, struct nbd_diag *d)
{
	static struct overlay o;
	static struct cmdline c;

	/* it may be a variable of a function */
	memset(&o, 0xff, sizeof(o));
	c = (struct cmdline){ .overlay = overlay, .tls = tls };
	return init_overlay_check(&o, &c, d);
}

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
		assert_int_equal(check_words(good[i], false, NULL), 0);
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
		assert_int_equal(check_words(bad[i], false, &d), NBD_E_USAGE);
		assert_non_null(strstr(d.text, bad[i]));
		assert_non_null(strstr(d.text, "nbdboot.overlay="));
	}
}

static void a_broken_uri_is_refused_with_its_place(void **state)
{
	struct nbd_diag d;

	(void)state;
	assert_int_equal(check_words("nbd://h:99999/", false, &d), NBD_E_URI);
	assert_non_null(strstr(d.text, "nbd://h:99999/"));
	assert_non_null(strstr(d.text, "nbdboot.overlay="));
}

static void tls_is_demanded_of_its_export_as_well(void **state)
{
	struct nbd_diag d;

	(void)state;
	assert_int_equal(check_words("nbd://h/", true, &d), NBD_E_URI);
	assert_non_null(strstr(d.text, "nbdboot.tls=require"));
	assert_int_equal(check_words("nbds://h/", true, &d), 0);
	assert_int_equal(check_words("size=1", true, &d), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_an_overlay_are_understood),
		cmocka_unit_test(other_words_are_refused_by_name),
		cmocka_unit_test(a_broken_uri_is_refused_with_its_place),
		cmocka_unit_test(tls_is_demanded_of_its_export_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
