/* SPDX-License-Identifier: BSD-2-Clause */
/* core/uri.c: every form of uri.md, and everything that is none. */
#include "core/nbd.h"
#include "core/nbd_uri.h"
#include "tests/unit.h"
#include "tests/guard.h"
#include "tests/core/uri_cases.h"

#define LONG (8 * NBD_STRING_MAX)

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static void parse_ok(struct nbd_uri *u, char *buf, size_t cap, const char *text)
{
	int rc = nbd_uri_parse(u, buf, cap, text);

	if (rc)
		fail_msg("%.99s: %d, %s at %zu", text, rc, u->wrong,
			 u->wrong_at);
}

static void assert_same(const struct nbd_uri *a, const struct nbd_uri *b)
{
	assert_int_equal(a->tls, b->tls);
	assert_int_equal(a->is_unix, b->is_unix);
	assert_int_equal(a->port, b->port);
	assert_string_equal(a->host, b->host);
	assert_string_equal(a->user, b->user);
	assert_int_equal(a->socket_len, b->socket_len);
	assert_memory_equal(a->socket, b->socket, a->socket_len + 1);
	assert_int_equal(a->name_len, b->name_len);
	assert_memory_equal(a->name, b->name, a->name_len + 1);
	assert_int_equal(a->tls_type, b->tls_type);
	assert_int_equal(a->tls_verify_peer, b->tls_verify_peer);
	assert_string_equal(a->tls_hostname, b->tls_hostname);
	assert_string_equal(a->tls_certificates, b->tls_certificates);
	assert_string_equal(a->tls_psk_file, b->tls_psk_file);
}

static void every_form_of_the_specification_is_understood(void **state)
{
	struct nbd_uri u;
	char buf[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		const struct good *g = &good[i];

		parse_ok(&u, buf, sizeof(buf), g->text);
		assert_string_equal(u.host, or_empty(g->host));
		assert_string_equal(u.user, or_empty(g->user));
		assert_string_equal(u.socket, or_empty(g->socket));
		assert_int_equal(u.socket_len, strlen(or_empty(g->socket)));
		assert_string_equal(u.name, or_empty(g->name));
		assert_int_equal(u.name_len, strlen(or_empty(g->name)));
		assert_int_equal(u.port, g->port ? g->port : NBD_PORT);
		assert_int_equal(u.tls, g->tls);
		assert_int_equal(u.is_unix, g->is_unix);
		assert_int_equal(u.tls_type, NBD_TLS_ANY);
		assert_int_equal(u.tls_verify_peer, -1);
		assert_true(nbd_is_uri(g->text));
	}
}

static void what_is_printed_is_canonical_and_parses_to_the_same(void **state)
{
	struct nbd_uri u, v;
	char buf[200], buf2[200], out[200], out2[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		int len;

		parse_ok(&u, buf, sizeof(buf), good[i].text);
		len = nbd_uri_print(&u, out, sizeof(out));
		assert_string_equal(out, good[i].canonical);
		assert_int_equal(len, strlen(out));
		parse_ok(&v, buf2, sizeof(buf2), out);
		assert_same(&u, &v);
		assert_int_equal(nbd_uri_print(&v, out2, sizeof(out2)), len);
		assert_string_equal(out, out2);
	}
}

static void the_tls_keys_are_understood_in_any_order(void **state)
{
	static const char canonical[] =
		"nbds://h/n?tls-type=psk&tls-verify-peer=0&tls-hostname=o.ex"
		"&tls-certificates=/a%26b&tls-psk-file=/k?x";
	struct nbd_uri u;
	char buf[200], out[200];

	(void)state;
	parse_ok(&u, buf, sizeof(buf),
		 "nbds://h/n?tls-psk-file=/k?x&tls-certificates=/a%26b&"
		 "tls-hostname=o.ex&tls-verify-peer=0&tls-type=psk");
	assert_int_equal(u.tls_type, NBD_TLS_PSK);
	assert_int_equal(u.tls_verify_peer, 0);
	assert_string_equal(u.tls_hostname, "o.ex");
	assert_string_equal(u.tls_certificates, "/a&b");
	assert_string_equal(u.tls_psk_file, "/k?x");
	assert_int_equal(nbd_uri_print(&u, out, sizeof(out)),
			 strlen(canonical));
	assert_string_equal(out, canonical);

	parse_ok(&u, buf, sizeof(buf),
		 "nbd+unix:?TLS-Type=ANON&socket=s&tls-verify-peer=1");
	assert_int_equal(u.tls_type, NBD_TLS_ANON);
	assert_int_equal(u.tls_verify_peer, 1);
	assert_string_equal(u.socket, "s");
	parse_ok(&u, buf, sizeof(buf),
		 "nbd://h?tls-type=x509&tls-hostname=2001:db8::1");
	assert_int_equal(u.tls_type, NBD_TLS_X509);
	assert_string_equal(u.tls_hostname, "2001:db8::1");
}

static void an_abstract_socket_starts_with_a_nul(void **state)
{
	static const char text[] = "nbd+unix:///?socket=%00/abstract";
	struct nbd_uri u;
	char buf[100], out[100];

	(void)state;
	parse_ok(&u, buf, sizeof(buf), text);
	assert_int_equal(u.socket_len, 10);
	assert_memory_equal(u.socket, "\0/abstract", 11);
	nbd_uri_print(&u, out, sizeof(out));
	assert_string_equal(out, text);
	parse_ok(&u, buf, sizeof(buf), "nbd+unix:?socket=%00");
	assert_int_equal(u.socket_len, 1);
}

static void every_wrong_text_is_refused_with_place_and_reason(void **state)
{
	struct nbd_uri u;
	char buf[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct bad *b = &bad[i];
		int rc = nbd_uri_parse(&u, buf, sizeof(buf), b->text);

		if (rc != NBD_E_URI || u.wrong_at != b->at ||
		    !strstr(u.wrong, b->wrong))
			fail_msg("\"%s\": %d, \"%s\" at %zu, not \"%s\" at %zu",
				 b->text, rc, u.wrong, u.wrong_at, b->wrong,
				 b->at);
	}
}

static void only_the_four_schemes_are_taken_for_a_uri(void **state)
{
	(void)state;
	assert_true(nbd_is_uri("nbd:"));
	assert_true(nbd_is_uri("Nbds://x"));
	assert_true(nbd_is_uri("nbd+unix:?"));
	assert_true(nbd_is_uri("NBDS+UNIX:"));
	assert_false(nbd_is_uri(""));
	assert_false(nbd_is_uri("nbd"));
	assert_false(nbd_is_uri("nbd0"));
	assert_false(nbd_is_uri("nbd+:"));
	assert_false(nbd_is_uri(":nbd"));
	assert_false(nbd_is_uri("/nbd://x"));
}

static void a_name_may_have_4096_bytes_and_not_one_more(void **state)
{
	static const char head[] = "nbd://h/";
	static char text[LONG], buf[LONG], out[LONG];
	struct nbd_uri u;

	(void)state;
	strcpy(text, head);
	memset(text + 8, 'n', NBD_STRING_MAX);
	parse_ok(&u, buf, sizeof(buf), text);
	assert_int_equal(u.name_len, NBD_STRING_MAX);
	assert_int_equal(nbd_uri_print(&u, out, sizeof(out)),
			 8 + NBD_STRING_MAX);
	assert_string_equal(text, out);
	text[8 + NBD_STRING_MAX] = 'n';
	assert_int_equal(nbd_uri_parse(&u, buf, sizeof(buf), text), NBD_E_URI);
	assert_int_equal(u.wrong_at, 8);

	/* what counts is the bytes after decoding */
	for (size_t i = 0; i < NBD_STRING_MAX; i++)
		memcpy(text + 8 + 3 * i, "%0A", 4);
	parse_ok(&u, buf, sizeof(buf), text);
	assert_int_equal(u.name_len, NBD_STRING_MAX);
	assert_int_equal(nbd_uri_print(&u, out, sizeof(out)),
			 8 + 3 * NBD_STRING_MAX);
	assert_string_equal(text, out);
}

static void no_buffer_is_overrun_and_strlen_bytes_suffice(void **state)
{
	struct guard g = guard_new(4096);
	struct nbd_uri u;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		size_t len = strlen(good[i].text), least = 0;

		for (size_t cap = 0; cap <= len; cap++) {
			char *buf = guard_end(&g, cap);
			int rc = nbd_uri_parse(&u, buf, cap, good[i].text);

			if (rc == 0)
				break;
			assert_int_equal(rc, NBD_E_NO_MEMORY);
			least = cap + 1;
		}
		assert_true(least <= len);
		assert_true(least >= strlen(u.host) + u.name_len);
	}
	guard_free(&g);
}

static void printing_overruns_no_buffer(void **state)
{
	struct guard g = guard_new(4096);
	struct nbd_uri u;
	char buf[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		size_t len = strlen(good[i].canonical);

		parse_ok(&u, buf, sizeof(buf), good[i].text);
		for (size_t cap = 0; cap <= len; cap++)
			assert_int_equal(nbd_uri_print(&u, guard_end(&g, cap),
						       cap),
					 NBD_E_NO_MEMORY);
		assert_int_equal(nbd_uri_print(&u, guard_end(&g, len + 1),
					       len + 1),
				 len);
	}
	guard_free(&g);
}

/* Each text cut at each byte, its NUL flush against an unreadable page. */
static void no_byte_is_read_outside_of_the_text(void **state)
{
	struct guard g = guard_new(4096);
	struct nbd_uri u;
	char buf[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good) + ARRAY_SIZE(bad); i++) {
		const char *text = i < ARRAY_SIZE(good)
					   ? good[i].text
					   : bad[i - ARRAY_SIZE(good)].text;

		for (size_t len = strlen(text) + 1; len-- > 0;) {
			char *end = guard_copy(&g, text, len + 1);
			int rc;

			end[len] = '\0';
			rc = nbd_uri_parse(&u, buf, sizeof(buf), end);
			assert_true(rc == 0 || rc == NBD_E_URI);
			assert_true(rc == 0 || (*u.wrong && u.wrong_at <= len));
			end = guard_start(&g, len + 1);
			memcpy(end, text, len);
			end[len] = '\0';
			assert_int_equal(
				nbd_uri_parse(&u, buf, sizeof(buf), end), rc);
		}
	}
	guard_free(&g);
}

/* Each byte value at each place of a URI that has everything. */
static void whatever_is_accepted_survives_print_and_parse(void **state)
{
	static const char *const seeds[] = {
		"nbds://u@[fe80::1%25e]:7/n%2f?tls-type=psk&tls-hostname=h",
		"nbd+unix://u@/n?socket=%00s&tls-verify-peer=1",
		"nbd://h.x:10809/n",
	};
	struct nbd_uri u, v;
	char text[100], buf[100], out[400], buf2[400];
	unsigned accepted = 0;

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(seeds); s++) {
		for (size_t i = 0; i < 256 * strlen(seeds[s]); i++) {
			strcpy(text, seeds[s]);
			text[i / 256] = (char)(i % 256);
			if (nbd_uri_parse(&u, buf, sizeof(buf), text))
				continue;
			accepted++;
			assert_true(nbd_uri_print(&u, out, sizeof(out)) > 0);
			parse_ok(&v, buf2, sizeof(buf2), out);
			assert_same(&u, &v);
		}
	}
	assert_in_range(accepted, 1000, 20000);
}

/* What nbd_uri_check() accepts is what the parser would make of it. */
static void fields_set_by_hand_are_checked_like_a_text(void **state)
{
	static const struct {
		const char *host, *hostname, *wrong;
	} t[] = {
		{ "srv", "", NULL },
		{ "10.0.0.1", "o.ex", NULL },
		{ "fe80::1%eth0", "::1", NULL },
		{ "", "", "not a host name" },
		{ "-x", "", "not a host name" },
		{ "a@b", "", "not a host name" },
		{ "::g", "", "not an IPv6 address" },
		{ "::1%", "", "not an IPv6 address" },
		{ "::1%-x", "", "not an IPv6 address" },
		{ "srv", "a/b", "not a host name" },
	};
	struct nbd_uri u, v;
	char out[400], buf[400];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		nbd_uri_init(&u);
		u.host = t[i].host;
		u.tls_hostname = t[i].hostname;
		assert_int_equal(nbd_uri_check(&u), t[i].wrong ? NBD_E_URI : 0);
		assert_true(nbd_uri_print(&u, out, sizeof(out)) > 0);
		if (t[i].wrong) {
			assert_string_equal(u.wrong, t[i].wrong);
			assert_int_equal(nbd_uri_parse(&v, buf, sizeof(buf),
						       out),
					 NBD_E_URI);
			continue;
		}
		parse_ok(&v, buf, sizeof(buf), out);
		assert_same(&u, &v);
	}
	u.host = "h";
	u.tls_hostname = "";
	u.name_len = NBD_STRING_MAX;
	assert_int_equal(nbd_uri_check(&u), 0);
	u.name_len++;
	assert_int_equal(nbd_uri_check(&u), NBD_E_URI);
}

/* RFC 1035; more would be "out of memory" where TLS takes the name. */
static void a_host_name_has_255_bytes_at_most(void **state)
{
	char name[257], text[300], buf[600];
	struct nbd_uri u;

	(void)state;
	memset(name, 'a', 256);
	for (size_t len = 256; len > 254; len--) {
		name[len] = '\0';
		nbd_uri_init(&u);
		u.host = "h";
		u.tls_hostname = name;
		assert_int_equal(nbd_uri_check(&u), len > 255 ? NBD_E_URI : 0);
		snprintf(text, sizeof(text), "nbds://h?tls-hostname=%s", name);
		assert_int_equal(nbd_uri_parse(&u, buf, sizeof(buf), text),
				 len > 255 ? NBD_E_URI : 0);
		snprintf(text, sizeof(text), "nbd://%s", name);
		assert_int_equal(nbd_uri_parse(&u, buf, sizeof(buf), text),
				 len > 255 ? NBD_E_URI : 0);
	}
}

static void two_hex_digits_are_a_byte_and_nothing_else_is(void **state)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";

	(void)state;
	for (unsigned i = 0; i < 1 << 16; i++) {
		const char text[4] = { '%', (char)(i >> 8), (char)i, '\0' };
		const char *p = text, *high, *low;
		int want = -1;

		high = memchr(digits, text[1], 32);
		low = memchr(digits, text[2], 32);
		if (high && low)
			want = (int)((high - digits) % 16 * 16 +
				     (low - digits) % 16);
		assert_int_equal(nbd_hex_byte(text + 1), want);
		assert_int_equal(nbd_percent_next(&p), want);
		assert_int_equal(p - text, want < 0 ? 1 : 3);
	}
	for (unsigned i = 0; i < 256; i++) {
		const char text[1] = { (char)i };
		const char *p = text;

		if (i == '%')
			continue;
		assert_int_equal(nbd_percent_next(&p), i);
		assert_ptr_equal(p, text + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_set_by_hand_are_checked_like_a_text),
		cmocka_unit_test(every_form_of_the_specification_is_understood),
		cmocka_unit_test(
			what_is_printed_is_canonical_and_parses_to_the_same),
		cmocka_unit_test(the_tls_keys_are_understood_in_any_order),
		cmocka_unit_test(an_abstract_socket_starts_with_a_nul),
		cmocka_unit_test(
			every_wrong_text_is_refused_with_place_and_reason),
		cmocka_unit_test(only_the_four_schemes_are_taken_for_a_uri),
		cmocka_unit_test(a_name_may_have_4096_bytes_and_not_one_more),
		cmocka_unit_test(no_buffer_is_overrun_and_strlen_bytes_suffice),
		cmocka_unit_test(printing_overruns_no_buffer),
		cmocka_unit_test(no_byte_is_read_outside_of_the_text),
		cmocka_unit_test(whatever_is_accepted_survives_print_and_parse),
		cmocka_unit_test(a_host_name_has_255_bytes_at_most),
		cmocka_unit_test(two_hex_digits_are_a_byte_and_nothing_else_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
