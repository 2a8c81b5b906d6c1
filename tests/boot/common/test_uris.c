/* SPDX-License-Identifier: BSD-2-Clause */
/* Which commas are between URIs. */
#include "boot/common/uris.h"
#include "tests/guard.h"
#include "tests/unit.h"

static void a_comma_ends_a_uri_where_another_one_follows(void **state)
{
	static const struct {
		const char *first, *rest;
	} t[] = {
		{ "", "" },
		{ "nbd://a/x", "" },
		{ "nbd://a/x", ",nbd://b/y" },
		{ "nbd://a/x", ",NBDS://b/y,nbd://c" },
		{ "nbd://a/x", ",nbd+unix:///y?socket=/s" },
		{ "nbd://a/x,y,,z,", ",nbds+unix:///?socket=/s" },
		{ "nbd://a/x,nbd:y,nbd:/z,nbd0://b,http://c,", "" },
		{ "nbd://a/x,nbd", "" },
		{ "nbd://a/x,nbd:", "" },
		{ "nbd://a/x,nbd:/", "" },
		{ "nbd://a/x", ",nbd://" },
		{ "", ",nbd://a" },
	};
	struct guard g = guard_new(128);
	char text[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		int n = snprintf(text, sizeof(text), "%s%s", t[i].first,
				 t[i].rest);

		assert_int_equal(
			boot_uris_first(guard_copy(&g, text, (size_t)n + 1)),
			strlen(t[i].first));
	}
	guard_free(&g);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_comma_ends_a_uri_where_another_one_follows),
	};

	return cmocka_run_group_tests_name("uris", tests, NULL, NULL);
}
