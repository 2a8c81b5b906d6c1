/* SPDX-License-Identifier: BSD-2-Clause */
/* root= of builds that have nothing but URIs. */
#include "tests/unit.h"

#include "boot/root/plain.c"

static struct root_spec r;
static struct nbd_diag d;

static int parse(const char *root, bool tls)
{
	struct cmdline c = { .root = root, .tls = tls, .connections = 3 };

	r.uris = 0;
	return root_parse(&r, &c, &d);
}

static void it_is_a_list_of_uris(void **state)
{
	(void)state;
	assert_int_equal(parse("nbd://a/x,nbd://b:7/y", false), NBD_OK);
	assert_int_equal(r.uris, 2);
	assert_string_equal(r.uri[1].host, "b");
	assert_string_equal(r.uri[1].name, "y");
	assert_int_equal(r.connections, 3);
	assert_int_equal(r.device, ROOT_UNSET);
}

static void it_is_nothing_else(void **state)
{
	static const char *const wrong[] = { NULL, "", "/dev/nbd0",
					     "nbd:a:10809", "http://a/" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(parse(wrong[i], false), NBD_E_URI);
}

static void what_is_in_the_clear_can_be_forbidden(void **state)
{
	(void)state;
	assert_int_equal(parse("nbds://a/", true), NBD_OK);
	assert_int_equal(parse("nbds://a/,nbd://b/", true), NBD_E_URI);
	assert_non_null(strstr(d.text, "use nbds://"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_a_list_of_uris),
		cmocka_unit_test(it_is_nothing_else),
		cmocka_unit_test(what_is_in_the_clear_can_be_forbidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
