/* SPDX-License-Identifier: BSD-2-Clause */
/* Which commas separate URIs, and what nbdboot.tls=require forbids. */
#include "boot/words/uris.h"
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

static void every_server_has_to_prove_its_identity(void **state)
{
	static const struct {
		bool tls;
		int verify;
		bool forbidden;
	} t[] = {
		{ false, -1, true }, { false, 1, true }, { true, -1, false },
		{ true, 0, true },   { true, 1, false },
	};
	struct nbd_uri u[2];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		nbd_uri_init(&u[0]);
		u[0].tls = true;
		u[1] = u[0];
		u[1].tls = t[i].tls;
		u[1].tls_verify_peer = t[i].verify;
		assert_null(boot_uris_forbidden(u, 1));
		assert_int_equal(boot_uris_forbidden(u, 2) != NULL,
				 t[i].forbidden);
	}
	assert_null(boot_uris_forbidden(u, 0));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_comma_ends_a_uri_where_another_one_follows),
		cmocka_unit_test(every_server_has_to_prove_its_identity),
	};

	return cmocka_run_group_tests_name("uris", tests, NULL, NULL);
}
