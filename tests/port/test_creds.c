/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of certificates, pre-shared keys, and which suites are offered. */
#include "tests/unit.h"
#include "tests/guard.h"
#include "port/mbedtls/creds.h"
#include "port/mbedtls/suite.h"
#include "port/mbedtls/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* name comes from the network: it ends flush against an unreadable page. */
static bool match(const char *name, size_t len, const char *host)
{
	struct guard g = guard_new(512);
	const unsigned char *p = guard_copy(&g, name, len);
	bool result = creds_match_name(p, len, host);

	guard_free(&g);
	return result;
}

static bool matches(const char *name, const char *host)
{
	return match(name, strlen(name), host);
}

static void a_name_matches_itself_in_any_case(void **state)
{
	(void)state;
	assert_true(matches("srv.example.com", "srv.example.com"));
	assert_true(matches("SRV.example.COM", "srv.EXAMPLE.com"));
	assert_true(matches("localhost", "localhost"));
	assert_true(matches("srv.example.com.", "srv.example.com"));
	assert_true(matches("srv.example.com", "srv.example.com."));
}

static void another_name_does_not_match(void **state)
{
	(void)state;
	assert_false(matches("srv.example.com", "srv2.example.com"));
	assert_false(matches("example.com", "srv.example.com"));
	assert_false(matches("srv.example.com", "example.com"));
	assert_false(matches("srv.example.com", "srv.example.co"));
	assert_false(matches("", "srv"));
	assert_false(matches("srv", ""));
	assert_false(matches("", ""));
	assert_false(matches(".", "."));
	assert_false(matches("@", "`"));
	assert_false(matches("[", "{"));
}

static void a_wildcard_stands_for_one_whole_label(void **state)
{
	(void)state;
	assert_true(matches("*.example.com", "srv.example.com"));
	assert_true(matches("*.EXAMPLE.com", "Srv.example.Com"));
	assert_false(matches("*.example.com", "a.srv.example.com"));
	assert_false(matches("*.example.com", "example.com"));
	assert_false(matches("*.example.com", ".example.com"));
	assert_false(matches("s*.example.com", "srv.example.com"));
	assert_false(matches("srv.*.com", "srv.example.com"));
	assert_false(matches("*.com", "example.com"));
	assert_false(matches("*.com.", "example.com"));
	assert_false(matches("*.", "example"));
	assert_false(matches("*", "localhost"));
	assert_false(matches("*.*.com", "srv.example.com"));
}

/* CVE-2009-2408: "bank.example\0.evil.example" */
static void a_name_with_a_nul_does_not_match(void **state)
{
	(void)state;
	assert_false(match("srv\0.evil.com", 13, "srv"));
	assert_false(match("srv\0", 4, "srv"));
	assert_false(match("\0", 1, ""));
}

static bool is_host(const char *host, const void *p, size_t len, bool address)
{
	char buf[128];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };
	struct creds_host h;

	creds_host(&h, host);
	return creds_is_host(&h, p, len, address, &o);
}

static void an_address_as_a_name_is_seen(void **state)
{
	static const struct {
		const char *host, *name;
		bool is;
	} cases[] = {
		{ "127.0.0.1", "127.0.0.1", true },
		{ "127.0.0.1", "127.0.0.10", false },
		{ "fd00::1", "fd00:0:0::1", true },
		{ "fd00::1", "127.0.0.1", false },
		{ "srv", "127.0.0.1", false },
		{ "127.0.0.1", "", false },
		{ "fd00::1",
		  "fd00:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0001",
		  false },
	};
	struct creds_host h;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		creds_host(&h, cases[i].host);
		assert_int_equal(creds_names_address(
					 &h,
					 (const unsigned char *)cases[i].name,
					 strlen(cases[i].name)),
				 cases[i].is);
	}
}

static void an_address_matches_an_address_alone(void **state)
{
	static const unsigned char v4[] = { 192, 0, 2, 1 };
	static const unsigned char v6[] = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0,
					    0,	  0,	0, 0, 0, 0, 0, 1 };

	(void)state;
	assert_true(is_host("192.0.2.1", v4, 4, true));
	assert_false(is_host("192.0.2.2", v4, 4, true));
	assert_true(is_host("fe80::1", v6, 16, true));
	assert_true(is_host("fe80::1%eth0", v6, 16, true));
	assert_false(is_host("fe80::2", v6, 16, true));
	assert_false(is_host("192.0.2.1", v4, 3, true));
	assert_false(is_host("192.0.2.1", v6, 16, true));
	assert_false(is_host("fe80::1", v4, 4, true));
	/* a DNS name that looks like one */
	assert_false(is_host("192.0.2.1", "192.0.2.1", 9, false));
	assert_false(is_host("srv", v4, 4, true));
	assert_false(is_host("srv", "", 0, true));
	assert_true(is_host("srv", "srv", 3, false));
}

static void names_are_listed_escaped(void **state)
{
	static const unsigned char v4[] = { 192, 0, 2, 1 };
	static const unsigned char v6[] = { 0xfd, 0, 0, 0, 0, 0, 0, 0,
					    0,	  0, 0, 0, 0, 0, 0, 1 };
	char buf[128] = "";
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf) - 1 };
	struct creds_host h;

	(void)state;
	creds_host(&h, "x");
	creds_is_host(&h, (const unsigned char *)"a\033b", 3, false, &o);
	creds_is_host(&h, v4, 4, true, &o);
	creds_is_host(&h, v6, 16, true, &o);
	assert_string_equal(buf, "a\\x1bb, 192.0.2.1, "
				 "fd00:0000:0000:0000:0000:0000:0000:0001");
}

static bool find(struct creds_psk *psk, const char *text, const char *user)
{
	struct guard g = guard_new(1024);
	size_t len = strlen(text);
	bool found = creds_find_psk(psk, guard_copy(&g, text, len), len, user);

	guard_free(&g);
	return found;
}

static void a_user_finds_the_key_of_its_line(void **state)
{
	struct creds_psk psk;

	(void)state;
	assert_true(find(&psk, "# keys\nalice:00ff\nbob:ABcd12\r\n", "bob"));
	assert_string_equal(psk.user, "bob");
	assert_int_equal(psk.len, 3);
	assert_memory_equal(psk.key, "\xab\xcd\x12", 3);
	assert_true(find(&psk, "alice:00ff\nbob:abcd12", "bob"));
	assert_int_equal(psk.len, 3);
	assert_true(find(&psk, "# keys\n\nalice:00ff\nbob:abcd12\n", ""));
	assert_string_equal(psk.user, "alice");
	assert_memory_equal(psk.key, "\0\xff", 2);
}

static void no_line_or_a_wrong_one_is_no_key(void **state)
{
	static const char *const text[] = {
		"",	    "\n",	   "bob",	"bob:",	    "bob:a",
		"bob:abc",  "bob:0g",	   "bo:ab",	"bobby:ab", "#bob:ab",
		" bob:ab",  "bob :ab",	   "bob:ab cd", ":ab",	    "bob:\r\n",
		"Bob:abcd", "bob:abcd:ef",
	};
	struct creds_psk psk;
	char longest[2 * CREDS_PSK_MAX + 16] = "bob:";

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(text); i++)
		assert_false(find(&psk, text[i], "bob"));
	memset(longest + 4, '7', 2 * CREDS_PSK_MAX);
	assert_true(find(&psk, longest, "bob"));
	assert_int_equal(psk.len, CREDS_PSK_MAX);
	strcat(longest, "77");
	assert_false(find(&psk, longest, "bob"));
}

static void a_key_that_was_not_taken_is_wiped(void **state)
{
	static const struct creds_psk zero;
	struct creds_psk psk;

	(void)state;
	assert_false(find(&psk, "bob:aabbccdde", "bob"));
	assert_memory_equal(&psk, &zero, sizeof(psk));
}

static void a_file_is_read_whole_and_wiped(void **state)
{
	char path[] = "/tmp/credsXXXXXX", *text = NULL;
	int fd = mkstemp(path);
	struct nbd_diag d;

	(void)state;
	assert_int_equal(write(fd, "secret", 6), 6);
	assert_int_equal(creds_read(path, false, &text, &d), 6);
	assert_string_equal(text, "secret");
	creds_wipe();
	assert_memory_equal(text, "\0\0\0\0\0\0", 6);
	assert_int_equal(ftruncate(fd, 1024 * 1024), 0);
	assert_int_equal(creds_read(path, false, &text, &d), NBD_E_CREDENTIAL);
	assert_non_null(strstr(d.text, "larger than"));
	assert_memory_equal(text, "\0\0\0\0\0\0", 6);
	close(fd);
	unlink(path);
	assert_int_equal(creds_read(path, false, &text, &d), NBD_E_CREDENTIAL);
	assert_non_null(strstr(d.text, path));
	assert_int_equal(creds_read("/", false, &text, &d), NBD_E_CREDENTIAL);
}

static void a_secret_that_others_can_read_or_write_is_refused(void **state)
{
	static const mode_t good[] = { 0600, 0400, 0700, 0711 },
			    bad[] = { 0640, 0604, 0620, 0602, 0644, 0666 };
	char path[] = "/tmp/credsXXXXXX", *text = NULL;
	int fd = mkstemp(path);
	struct nbd_diag d;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(fchmod(fd, good[i]), 0);
		assert_int_equal(creds_read(path, true, &text, &d), 0);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(fchmod(fd, bad[i]), 0);
		assert_int_equal(creds_read(path, true, &text, &d),
				 NBD_E_CREDENTIAL);
		assert_non_null(strstr(d.text, "chmod 600"));
		/* a certificate is no secret */
		assert_int_equal(creds_read(path, false, &text, &d), 0);
	}
	close(fd);
	unlink(path);
}

/* Words of DHCP can name anything: process 1 would wait for ever. */
static void what_is_no_regular_file_is_refused(void **state)
{
	static const char *const paths[] = { "/dev/null", "/dev/kmsg" };
	char fifo[] = "/tmp/credsXXXXXX", *text = NULL;
	struct nbd_diag d;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(paths); i++) {
		assert_int_equal(creds_read(paths[i], true, &text, &d),
				 NBD_E_CREDENTIAL);
		assert_non_null(strstr(d.text, "not a regular file"));
	}
	close(mkstemp(fifo));
	unlink(fifo);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(creds_read(fifo, true, &text, &d), NBD_E_CREDENTIAL);
	assert_non_null(strstr(d.text, "not a regular file"));
	unlink(fifo);
}

static void only_suites_for_the_kernel_are_offered(void **state)
{
	int ids[SUITE_MAX + 1];
	unsigned n, gcm = 1u << NBD_AES_128_GCM | 1u << NBD_AES_256_GCM;

	(void)state;
	n = suite_choose(ids, false, TLS_ONLY_12);
	assert_int_equal(n, 6);
	assert_int_equal(ids[n], 0);
	for (unsigned i = 0; i < n; i++)
		assert_true(ids[i] >= 0xc02b); /* ECDHE, all of them */
	n = suite_choose(ids, false, TLS_ONLY_12 | gcm);
	assert_int_equal(n, 2);
	assert_int_equal(ids[0], 0xcca9);
	assert_int_equal(ids[1], 0xcca8);
	n = suite_choose(ids, false, TLS_ONLY_12 | 1u << NBD_CHACHA20_POLY1305);
	assert_int_equal(n, 4);
	assert_int_equal(suite_choose(ids, false, 7), 0);
	assert_int_equal(ids[0], 0);
}

static void forward_secrecy_comes_first_with_psk(void **state)
{
	int ids[SUITE_MAX + 1];

	(void)state;
	assert_int_equal(suite_choose(ids, true, TLS_ONLY_12), 4);
	assert_int_equal(ids[0], 0xccac); /* ECDHE-PSK */
	assert_int_equal(suite_aead(ids[0]), NBD_CHACHA20_POLY1305);
	assert_int_equal(suite_aead(0xa8), NBD_AES_128_GCM);
	assert_int_equal(suite_aead(0xc030), NBD_AES_256_GCM);
	assert_int_equal(suite_choose(ids, true, 7), 0);
}

/* getrandom(2): 0 is an error, of which `why` is errno; -1 ends them. */
static struct {
	ssize_t answers[4];
	unsigned n;
	int why;
} source;

ssize_t __wrap_getrandom(void *p, size_t len, unsigned flags);
ssize_t __wrap_getrandom(void *p, size_t len, unsigned flags)
{
	ssize_t n = source.answers[source.n++];

	assert_int_equal(flags, 0);
	assert_true(n <= (ssize_t)len);
	if (n < 0)
		fail_msg("asked once more");
	memset(p, 'r', (size_t)n);
	errno = source.why;
	return n ? n : -1;
}

static bool random_of(int why, ssize_t first, ssize_t second, char to[9])
{
	memset(&source, 0xff, sizeof(source));
	source.n = 0;
	source.why = why;
	source.answers[0] = first;
	source.answers[1] = second;
	memset(to, 0, 9);
	return creds_random((unsigned char *)to, 8);
}

static void random_bytes_come_in_parts_or_not_at_all(void **state)
{
	char to[9];

	(void)state;
	assert_true(random_of(0, 5, 3, to));
	assert_string_equal(to, "rrrrrrrr");
	assert_true(random_of(EINTR, 0, 8, to));
	assert_string_equal(to, "rrrrrrrr");
	assert_false(random_of(ENOSYS, 0, -1, to));
	assert_false(random_of(EIO, 5, 0, to));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_matches_itself_in_any_case),
		cmocka_unit_test(another_name_does_not_match),
		cmocka_unit_test(a_wildcard_stands_for_one_whole_label),
		cmocka_unit_test(a_name_with_a_nul_does_not_match),
		cmocka_unit_test(an_address_as_a_name_is_seen),
		cmocka_unit_test(an_address_matches_an_address_alone),
		cmocka_unit_test(names_are_listed_escaped),
		cmocka_unit_test(a_user_finds_the_key_of_its_line),
		cmocka_unit_test(no_line_or_a_wrong_one_is_no_key),
		cmocka_unit_test(a_key_that_was_not_taken_is_wiped),
		cmocka_unit_test(a_file_is_read_whole_and_wiped),
		cmocka_unit_test(
			a_secret_that_others_can_read_or_write_is_refused),
		cmocka_unit_test(what_is_no_regular_file_is_refused),
		cmocka_unit_test(random_bytes_come_in_parts_or_not_at_all),
		cmocka_unit_test(only_suites_for_the_kernel_are_offered),
		cmocka_unit_test(forward_secrecy_comes_first_with_psk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
