/* SPDX-License-Identifier: BSD-2-Clause */
/* Each framing of HTTP/1.1, in each cut. */
#include "port/uefi/http_body.h"

#include "core/nbd_err.h"
#include "tests/guard.h"
#include "tests/unit.h"

#define CL(n)                       \
	{                           \
		"Content-Length", n \
	}
#define TE(s)                          \
	{                              \
		"transfer-ENCODING", s \
	}
#define CE(s)                         \
	{                             \
		"Content-Encoding", s \
	}

static const struct {
	const char *headers[3][2];
	const char *body;
	const char *content; /* NULL: none, for result */
	int result;
} cases[] = {
	{ { CL("5") }, "hello", "hello", 0 },
	{ { CL(" 5\t") }, "hello", "hello", 0 },
	{ { CL("3") }, "hello", "hel", 0 },
	{ { CL("0") }, "", "", 0 },
	{ { CL("5"), CL("5") }, "hello", "hello", 0 },
	{ { { "Server", "x" } }, "hello", "hello", 0 },
	{ { CE("identity") }, "hello", "hello", 0 },
	{ { TE("chunked") }, "5\r\nhello\r\n0\r\n\r\n", "hello", 0 },
	{ { TE("Chunked") }, "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello", 0 },
	{ { TE("chunked") },
	  "05 ;a=b\r\nhello\r\n00\r\nX: y\r\n\r\n",
	  "hello",
	  0 },
	{ { TE("chunked") },
	  "A\r\n0123456789\r\na\r\nabcdefghij\r\n0\r\n\r\n",
	  "0123456789abcdefghij",
	  0 },
	{ { TE("chunked") }, "0\r\n\r\n", "", 0 },
	/* chunks are more than a length */
	{ { CL("1"), TE("chunked") }, "5\r\nhello\r\n0\r\n\r\n", "hello", 0 },
	/* cut */
	{ { CL("6") }, "hello", NULL, NBD_E_CUT },
	{ { TE("chunked") }, "5\r\nhello\r\n", NULL, NBD_E_CUT },
	{ { TE("chunked") }, "5\r\nhel", NULL, NBD_E_CUT },
	{ { TE("chunked") }, "", NULL, NBD_E_CUT },
	/* nonsense */
	{ { CL("x") }, "hello", NULL, NBD_E_PROTOCOL },
	{ { CL("-5") }, "hello", NULL, NBD_E_PROTOCOL },
	{ { CL("5"), CL("6") }, "hello", NULL, NBD_E_PROTOCOL },
	{ { CL("99999999999") }, "hello", NULL, NBD_E_PROTOCOL },
	{ { TE("gzip, chunked") }, "hello", NULL, NBD_E_PROTOCOL },
	{ { TE("chunked"), TE("chunked") }, "0\r\n", NULL, NBD_E_PROTOCOL },
	{ { CE("gzip") }, "hello", NULL, NBD_E_PROTOCOL },
	{ { TE("chunked") }, "\r\nhello\r\n", NULL, NBD_E_PROTOCOL },
	{ { TE("chunked") }, "x\r\nhello\r\n", NULL, NBD_E_PROTOCOL },
	{ { TE("chunked") }, "5hello\r\n", NULL, NBD_E_PROTOCOL },
	/* no digit, but like one in five bits */
	{ { TE("chunked") },
	  "\x15\r\nhello\r\n0\r\n\r\n",
	  NULL,
	  NBD_E_PROTOCOL },
	{ { TE("chunked") }, "4\r\nhello\r\n0\r\n", NULL, NBD_E_PROTOCOL },
	{ { TE("chunked") }, "fffffffff\r\nx", NULL, NBD_E_PROTOCOL },
	{ { TE("chunked") },
	  "100000000000000005\r\nhello\r\n",
	  NULL,
	  NBD_E_PROTOCOL },
};

/* The first n bytes of a body, flush against an unreadable page. */
static int end_of(const struct efi_http_body *b, const char *body, size_t n,
		  bool closed, const char *content)
{
	struct guard g = guard_new(n ? n : 1);
	char *p = guard_end(&g, n);
	int rc;

	memcpy(p, body, n);
	rc = efi_http_body_end(b, p, n, closed);
	if (rc >= 0 && content) {
		assert_int_equal(rc, strlen(content));
		assert_memory_equal(p, content, strlen(content));
	}
	guard_free(&g);
	return rc;
}

static void each_framing_has_an_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *body = cases[i].body;
		struct efi_http_body b = { .length = 0 };
		int rc;

		for (int k = 0; k < 3 && cases[i].headers[k][0]; k++)
			efi_http_body_header(&b, cases[i].headers[k][0],
					     cases[i].headers[k][1]);
		rc = end_of(&b, body, strlen(body), true, cases[i].content);
		if (!cases[i].content)
			assert_int_equal(rc, cases[i].result);
		else
			assert_true(rc >= 0);
	}
}

/* What is cut at n bytes and goes on is waited for, and is not an end. */
static void a_cut_is_waited_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *body = cases[i].body, *content = cases[i].content;
		struct efi_http_body b = { .length = 0 };
		size_t n = 0;
		int rc = NBD_E_AGAIN;

		for (int k = 0; k < 3 && cases[i].headers[k][0]; k++)
			efi_http_body_header(&b, cases[i].headers[k][0],
					     cases[i].headers[k][1]);
		for (; n < strlen(body) && rc == NBD_E_AGAIN; n++)
			rc = end_of(&b, body, n, false, content);
		if (content && rc != NBD_E_AGAIN)
			assert_int_equal(rc, strlen(content));
		if (cases[i].result == NBD_E_CUT)
			assert_int_equal(rc, *body ? NBD_E_AGAIN : rc);
	}
}

static void a_line_without_an_end_is_none(void **state)
{
	static char line[400];
	struct efi_http_body b = { .chunked = true };

	(void)state;
	memset(line, '0', sizeof(line));
	assert_int_equal(efi_http_body_end(&b, line, 256, false), NBD_E_AGAIN);
	assert_int_equal(efi_http_body_end(&b, line, 257, false),
			 NBD_E_PROTOCOL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_framing_has_an_end),
		cmocka_unit_test(a_cut_is_waited_for),
		cmocka_unit_test(a_line_without_an_end_is_none),
	};

	return cmocka_run_group_tests_name("http body", tests, NULL, NULL);
}
