/* SPDX-License-Identifier: BSD-2-Clause */
/* The identifier of a device: printed, and parsed by a later process. */
#include "boot/device/backend.h"
#include "tests/guard.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <unistd.h>

static struct backend b, again;
static char buf[BACKEND_BUF], buf2[BACKEND_BUF];
static char out[NBDK_BACKEND_MAX + 1];
static struct nbd_diag diag;
static struct guard guard;

/* Each is what device_backend_print() makes of it. */
static const char *const canonical[] = {
	"nbd://h/",
	"nbd://h/x connections=4",
	"nbds://h:10810/x connections=4 slots=8",
	"nbd://192.0.2.1/a,nbd://192.0.2.2/a",
	"nbd://a/,nbds://b/,nbd+unix:///x?socket=/run/s,nbd://d/ connections=2",
	"nbd://[fe80::1%25eth0]:10810/x,nbd://[2001:db8::1]/",
	"nbd://h/a,b,c,,d/x,nbd://h2/,,",
	/* a comma that would end it is escaped */
	"nbd://h/a%2Cnbd://b/c",
	/* so that a parser that takes "nbd:" alone for a URI reads it, too */
	"nbd://h/a%2Cnbd+unix:x%2CnbdS:,nbd://b/c%2Cnbd:",
	"nbds://u,v@h/?tls-psk-file=/a%2Cnbds://b",
	"nbd+unix:///?socket=%00nbd/abstract",
	"nbd+unix:///e%20f?socket=/run/a%20b%25c%C3%A9",
	"nbds://h/?tls-type=x509&tls-hostname=o&tls-certificates=/etc/pki",
	"nbds://h/?tls-verify-peer=1",
	"nbds://h/ ca=/etc/ca.pem cert=/etc/c.pem key=/etc/k.pem",
	"nbds://h/ ca=/a%20b%25%09%0a%7f/\xc3\xa9\xff=,x",
	"nbd://h/ port=50000",
	"nbd://h/x connections=2 port=65535 spread",
	"nbd://h/ spread",
	"nbd://h/ swap no-go",
	"nbds://a/,nbds://b/ connections=2 slots=16 spread ca=/x",
	"nbd://h/ ca=",
};

static void parse(const char *text)
{
	if (device_backend_parse(&b, buf, text))
		fail_msg("refused: %s", text);
}

static void what_is_printed_is_read_and_printed_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(canonical); i++) {
		parse(canonical[i]);
		assert_int_equal(device_backend_print(&b, out, sizeof(out)),
				 strlen(canonical[i]));
		assert_string_equal(out, canonical[i]);
	}
}

static void every_word_is_read(void **state)
{
	(void)state;
	parse("nbds://a/x,nbd+unix:///y?socket=/s connections=3 slots=5 "
	      "spread ca=/a%20b cert=/c%25d key=/\xff");
	assert_int_equal(b.servers, 2);
	assert_string_equal(b.uris[0].host, "a");
	assert_true(b.uris[0].tls);
	assert_string_equal(b.uris[1].name, "y");
	assert_string_equal(b.uris[1].socket, "/s");
	assert_int_equal(b.connections, 3);
	assert_int_equal(b.slots, 5);
	assert_int_equal(device_backend_slots(&b), 5);
	assert_true(b.spread);
	assert_string_equal(b.files.ca, "/a b");
	assert_string_equal(b.files.cert, "/c%d");
	assert_string_equal(b.files.key, "/\xff");
}

static void what_is_not_said_is_one_connection_and_no_files(void **state)
{
	(void)state;
	memset(&b, 0xa5, sizeof(b));
	parse("nbd://a/x");
	assert_int_equal(b.servers, 1);
	assert_int_equal(b.connections, 1);
	assert_int_equal(b.slots, 0);
	assert_int_equal(device_backend_slots(&b), 1);
	assert_false(b.spread);
	assert_null(b.files.ca);
	assert_null(b.files.cert);
	assert_null(b.files.key);
	/* there is never less room than connections */
	parse("nbd://a/x connections=6 slots=2");
	assert_int_equal(device_backend_slots(&b), 6);
}

static void one_server_whose_name_looks_like_two_stays_one(void **state)
{
	const char *name = "a,nbd://b/c";

	(void)state;
	assert_int_equal(
		nbd_uri_parse(&b.uris[0], buf, sizeof(buf), "nbd://h/"), 0);
	b.servers = b.connections = 1;
	b.uris[0].name = name;
	b.uris[0].name_len = strlen(name);
	assert_true(device_backend_print(&b, out, sizeof(out)) > 0);
	assert_int_equal(device_backend_parse(&again, buf2, out), 0);
	assert_int_equal(again.servers, 1);
	assert_string_equal(again.uris[0].name, name);
	assert_string_equal(again.uris[0].host, "h");
}

static void what_others_wrote_is_not_ours(void **state)
{
	static const char *const bad[] = {
		"",
		" ",
		"nbd",
		"h x",
		"/dev/sda",
		"nbd-client srv 10809 export",
		"{\"server\":\"h\"}",
		"iscsi://h/x",
		"nbd://",
		"nbd://h/#x",
		"nbd://h/x,nbd://",
		",nbd://h/",
		"nbd://h/ ",
		" nbd://h/",
		"nbd://h/  connections=2",
		"nbd://h/\tconnections=2",
		"nbd://h/ timeout=4",
		"nbd://h/ connection=2",
		"nbd://h/ connectionss=2",
		"nbd://h/ Connections=2",
		"nbd://h/ connections",
		"nbd://h/ connections=",
		"nbd://h/ connections=0",
		"nbd://h/ connections=17",
		"nbd://h/ connections=4294967298",
		"nbd://h/ connections=99999999999999999999",
		"nbd://h/ connections=2x",
		"nbd://h/ connections=-1",
		"nbd://h/ connections=+1",
		"nbd://h/ port=0",
		"nbd://h/ port=65536",
		"nbd://h/ slots=0",
		"nbd://h/ slots=17",
		"nbd://h/ spread=",
		"nbd://h/ spread=1",
		"nbd://h/ =",
		"nbd://h/ =x",
		"nbd://h/ ca",
		"nbd://h/ ca=/%",
		"nbd://h/ ca=/%2",
		"nbd://h/ ca=/%2g",
		"nbd://h/ ca=/%g2",
		"nbd://h/ ca=/%2 spread",
		/* a path does not end before its end */
		"nbd://h/ ca=/x%00y",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (device_backend_parse(&b, buf, bad[i]) != NBD_E_URI)
			fail_msg("taken: \"%s\"", bad[i]);
}

static void four_servers_are_taken_and_a_fifth_is_not(void **state)
{
	(void)state;
	parse("nbd://a/,nbd://b/,nbd://c/,nbd://d/");
	assert_int_equal(b.servers, 4);
	assert_string_equal(b.uris[3].host, "d");
	assert_int_equal(
		device_backend_parse(
			&b, buf,
			"nbd://a/,nbd://b/,nbd://c/,nbd://d/,nbd://e/"),
		NBD_E_URI);
	assert_int_equal(device_backend_parse_uris(
				 &b, buf,
				 "nbd://a/,nbd://b/,nbd://c/,nbd://d/,nbd://e/",
				 &diag),
			 NBD_E_URI);
	assert_non_null(strstr(diag.text, "more than 4 servers"));
}

static void a_list_of_uris_is_no_identifier(void **state)
{
	(void)state;
	assert_int_equal(device_backend_parse_uris(
				 &b, buf, "nbd://a/x,nbd:y,nbds://b/", &diag),
			 0);
	assert_int_equal(b.servers, 2);
	assert_string_equal(b.uris[0].name, "x,nbd:y");
	assert_true(b.uris[1].tls);
	assert_int_equal(device_backend_parse_uris(&b, buf, "", &diag),
			 NBD_E_URI);
	assert_string_equal(diag.text, "it is empty");
	assert_int_equal(device_backend_parse_uris(&b, buf, "nbd://a/ spread",
						   &diag),
			 NBD_E_URI);
	assert_string_equal(diag.text,
			    "must be percent-encoded (at character 9)");
}

/* "nbd://h/" and as many letters as there is room for, then the end. */
static char *long_text(size_t len, const char *end)
{
	static char text[NBDK_BACKEND_MAX + 2];
	size_t n = strlen(end);

	assert_true(len < sizeof(text));
	memset(text, 'n', len);
	memcpy(text, "nbd://h/", 8);
	memcpy(text + len - n, end, n + 1);
	return text;
}

static void an_identifier_fills_a_page_of_sysfs_and_no_more(void **state)
{
	const char *end = ",nbd://i/ ca=/x";
	char *text = long_text(NBDK_BACKEND_MAX, end);

	(void)state;
	/* a name has 4096 bytes at most, so all that fits is one */
	parse(text);
	assert_int_equal(b.servers, 2);
	assert_string_equal(b.files.ca, "/x");
	assert_int_equal(device_backend_print(&b, out, sizeof(out)),
			 NBDK_BACKEND_MAX);
	assert_string_equal(out, text);
	assert_int_equal(device_backend_print(&b, out, sizeof(out) - 1),
			 NBD_E_NO_MEMORY);
	text = long_text(NBDK_BACKEND_MAX + 1, end);
	assert_int_equal(device_backend_parse(&b, buf, text), NBD_E_URI);
	text = long_text(NBDK_BACKEND_MAX + 1, "");
	assert_int_equal(device_backend_parse_uris(&b, buf, text, &diag),
			 NBD_E_URI);
	assert_non_null(strstr(diag.text, "4094 bytes"));
}

static void no_room_is_written_past(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(canonical); i++) {
		size_t len = strlen(canonical[i]);

		parse(canonical[i]);
		for (size_t cap = 1; cap <= len + 1; cap++) {
			char *to = guard_end(&guard, cap);
			int n = device_backend_print(&b, to, cap);

			assert_int_equal(n, cap > len ? (int)len
						      : NBD_E_NO_MEMORY);
		}
	}
}

/* Whatever is left of an identifier: no byte behind it is looked at. */
static void every_truncation_is_read_within_its_bounds(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(canonical); i++)
		for (size_t n = 0; n <= strlen(canonical[i]); n++) {
			char *text = guard_end(&guard, n + 1);

			memcpy(text, canonical[i], n);
			text[n] = '\0';
			if (device_backend_parse(&b, buf, text))
				continue;
			assert_true(n > 0 && b.servers > 0);
			assert_true(device_backend_print(&b, out, sizeof(out)) >
				    0);
			assert_int_equal(
				device_backend_parse(&again, buf2, out), 0);
			assert_int_equal(again.servers, b.servers);
		}
}

static char paths[BACKEND_PATHS];

static void paths_become_absolute(void **state)
{
	char cwd[200], want[300];

	(void)state;
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_int_equal(
		device_backend_parse_uris(&b, buf,
					  "nbds://h/?tls-certificates=pki"
					  "&tls-psk-file=keys,"
					  "nbd+unix:///?socket=s,"
					  "nbd+unix:///?socket=/run/s,"
					  "nbd+unix:///?socket=%00s",
					  &diag),
		0);
	b.files = (struct tls_files){ "ca.pem", "/abs", NULL };
	assert_int_equal(
		device_backend_absolute(&b, paths, sizeof(paths), &diag), 0);
	snprintf(want, sizeof(want), "%s/ca.pem", cwd);
	assert_string_equal(b.files.ca, want);
	assert_string_equal(b.files.cert, "/abs");
	assert_null(b.files.key);
	snprintf(want, sizeof(want), "%s/pki", cwd);
	assert_string_equal(b.uris[0].tls_certificates, want);
	snprintf(want, sizeof(want), "%s/keys", cwd);
	assert_string_equal(b.uris[0].tls_psk_file, want);
	snprintf(want, sizeof(want), "%s/s", cwd);
	assert_string_equal(b.uris[1].socket, want);
	assert_int_equal(b.uris[1].socket_len, strlen(want));
	assert_string_equal(b.uris[2].socket, "/run/s");
	/* no path */
	assert_int_equal(b.uris[3].socket_len, 2);
	assert_memory_equal(b.uris[3].socket, "\0s", 3);
}

static void a_path_that_is_too_long_is_refused(void **state)
{
	static char path[4 * NBDK_BACKEND_MAX];

	(void)state;
	memset(path, 'p', sizeof(path) - 1);
	parse("nbds://h/");
	b.files.ca = path;
	assert_int_equal(device_backend_absolute(&b, paths, sizeof(paths),
						 &diag),
			 NBD_E_NO_MEMORY);
	assert_memory_equal(diag.text, "pppp", 4);
}

static void a_lost_working_directory_is_reported(void **state)
{
	char cwd[200], dir[] = "/tmp/test_backend.XXXXXX";

	(void)state;
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(rmdir(dir), 0);
	parse("nbds://h/ ca=x");
	assert_int_equal(device_backend_absolute(&b, paths, sizeof(paths),
						 &diag),
			 NBD_E_IO);
	assert_int_equal(chdir(cwd), 0);
	assert_string_equal(diag.text, "the current directory is gone");
}

static int begin(void **state)
{
	(void)state;
	guard = guard_new(NBDK_BACKEND_MAX);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_printed_is_read_and_printed_again),
		cmocka_unit_test(every_word_is_read),
		cmocka_unit_test(
			what_is_not_said_is_one_connection_and_no_files),
		cmocka_unit_test(
			one_server_whose_name_looks_like_two_stays_one),
		cmocka_unit_test(what_others_wrote_is_not_ours),
		cmocka_unit_test(four_servers_are_taken_and_a_fifth_is_not),
		cmocka_unit_test(a_list_of_uris_is_no_identifier),
		cmocka_unit_test(
			an_identifier_fills_a_page_of_sysfs_and_no_more),
		cmocka_unit_test(no_room_is_written_past),
		cmocka_unit_test(every_truncation_is_read_within_its_bounds),
		cmocka_unit_test(paths_become_absolute),
		cmocka_unit_test(a_path_that_is_too_long_is_refused),
		cmocka_unit_test(a_lost_working_directory_is_reported),
	};

	return cmocka_run_group_tests_name("backend", tests, begin, NULL);
}
