/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in /dev/disk/by-id: of one disk alone, and nothing but a name. */
#include "boot/device/backend.h"
#include "boot/device/names.h"
#include "tests/unit.h"

static struct backend b;
static char buf[BACKEND_BUF], name[DEVICE_NAME_BUF];

static int name_of(const char *backend, bool brief)
{
	if (device_backend_parse(&b, buf, backend))
		fail_msg("refused: %s", backend);
	memset(name, 'x', sizeof(name));
	return device_name(name, &b.uris[0], brief);
}

static const struct {
	const char *backend, *full, *brief;
} cases[] = {
	{ "nbd://srv/home connections=4", "srv:10809_home", "srv_home" },
	{ "nbds://u@srv:10810/a?tls-hostname=o,nbd://t/x", "srv:10810_a",
	  NULL },
	{ "nbd://192.0.2.1/a,nbd://192.0.2.2/b", "192.0.2.1:10809_a",
	  "192.0.2.1_a" },
	{ "nbd://h/", "h:10809_", "h_" },
	{ "nbd://[::1]/x", "\\x5b::1\\x5d:10809_x", "\\x5b::1\\x5d_x" },
	{ "nbd://[::1:10]:11/x", "\\x5b::1:10\\x5d:11_x", NULL },
	{ "nbd://[fe80::1%25e_0]/x", "\\x5bfe80::1\\x25e\\x5f0\\x5d:10809_x",
	  "\\x5bfe80::1\\x25e\\x5f0\\x5d_x" },
	{ "nbd+unix:///x?socket=/run/a_b", "unix:\\x2frun\\x2fa\\x5fb_x",
	  NULL },
	{ "nbd+unix:///?socket=%00a", "unix:\\x00a_", NULL },
	/* what could be more than a name */
	{ "nbd://h/../../etc", "h:10809_..\\x2f..\\x2fetc",
	  "h_..\\x2f..\\x2fetc" },
	{ "nbd://h/a%20b", "h:10809_a\\x20b", "h_a\\x20b" },
	{ "nbd://h/a%0Ab=c", "h:10809_a\\x0ab=c", "h_a\\x0ab=c" },
	{ "nbd://h/%22'%60$(reboot)%25k",
	  "h:10809_\\x22\\x27\\x60\\x24\\x28reboot\\x29\\x25k",
	  "h_\\x22\\x27\\x60\\x24\\x28reboot\\x29\\x25k" },
	{ "nbd://h/%5Cx2f", "h:10809_\\x5cx2f", "h_\\x5cx2f" },
	{ "nbd://h/%C3%BC", "h:10809_\xc3\xbc", "h_\xc3\xbc" },
	{ "nbd://h/%C3%FF%E2%80%AE", "h:10809_\\xc3\\xff\\xe2\\x80\\xae",
	  "h_\\xc3\\xff\\xe2\\x80\\xae" },
	/* the second partition of x is another disk */
	{ "nbd://h/x-part2", "h:10809_x\\x2dpart2", "h_x\\x2dpart2" },
	{ "nbd://h/x-part", "h:10809_x-part", "h_x-part" },
	{ "nbd://h/a%23+-.:=@_b,c", "h:10809_a#+-.:=@_b\\x2cc",
	  "h_a#+-.:=@_b\\x2cc" },
};

static void a_name_has_the_server_and_the_export(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(name_of(cases[i].backend, false), 0);
		assert_string_equal(name, cases[i].full);
		assert_int_equal(name_of(cases[i].backend, true),
				 cases[i].brief ? 0 : NBD_E_NOT_FOUND);
		if (cases[i].brief)
			assert_string_equal(name, cases[i].brief);
	}
}

static void no_two_disks_have_one_name(void **state)
{
	static const char *const backends[] = {
		"nbd://h/a_b",
		"nbd://h/a/b",
		"nbd://h/a%20b",
		"nbd://h/a-b",
		"nbd://h:10810/a_b",
		"nbd://h:10810/a/b",
		"nbd://h/10809_a_b",
		"nbd://h_a/b",
		"nbd://[::1:80]/x",
		"nbd://[::1]:80/x",
		"nbd://unix/x",
		"nbd+unix:///x?socket=/unix",
		"nbd+unix:///x_y?socket=/s",
		"nbd+unix:///y?socket=/s_x",
		"nbd+unix:///x?socket=/s/t",
		"nbd+unix:///t_x?socket=/s",
	};
	char names[2 * ARRAY_SIZE(backends)][DEVICE_NAME_BUF];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(backends); i++) {
		/* a host whose name has a "_" may be refused */
		if (device_backend_parse(&b, buf, backends[i / 2]) ||
		    device_name(names[n], &b.uris[0], i % 2))
			continue;
		for (size_t j = 0; j < n; j++)
			assert_string_not_equal(names[j], names[n]);
		n++;
	}
	assert_true(n > 20);
}

static void every_byte_leaves_a_file_name(void **state)
{
	static const char stay[] = "#+-.:=@_\\abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		char raw = (char)c;
		struct nbd_uri u;

		nbd_uri_init(&u);
		u.host = "h";
		u.name = &raw;
		u.name_len = 1;
		assert_int_equal(device_name(name, &u, false), 0);
		assert_int_equal(strspn(name, stay), strlen(name));
	}
}

static void a_name_that_is_too_long_for_a_file_is_none(void **state)
{
	char raw[DEVICE_NAME_BUF];
	struct nbd_uri u;

	(void)state;
	memset(raw, 'x', sizeof(raw));
	nbd_uri_init(&u);
	u.host = "h";
	u.name = raw;
	for (u.name_len = 0; u.name_len < sizeof(raw); u.name_len++) {
		bool fits = u.name_len + strlen("h:10809_") < sizeof(name);

		assert_int_equal(device_name(name, &u, false),
				 fits ? 0 : NBD_E_NO_MEMORY);
		assert_true(strlen("nbd-") + strlen(name) +
				    strlen("-part128") <=
			    255);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_has_the_server_and_the_export),
		cmocka_unit_test(no_two_disks_have_one_name),
		cmocka_unit_test(every_byte_leaves_a_file_name),
		cmocka_unit_test(a_name_that_is_too_long_for_a_file_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
