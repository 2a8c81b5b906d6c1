/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a sealed credential. */
#include "tests/guard.h"
#include "tests/unit.h"
#include "boot/seal/seal.h"

static struct guard guard;
static struct sealed s;
static char text[SEALED_TEXT];

/* A text of all that can vary; returns its length. */
static size_t make(void)
{
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };

	memset(&s, 0, sizeof(s));
	strcpy(s.name, "nbdboot.tls-psk");
	s.pcrs.mask = 1u << 0 | 1u << 7 | 1u << 23;
	for (unsigned i = 0; i < TPM_PCRS; i++)
		memset(s.pcrs.value[i], (int)i + 0xa0, TPM_DIGEST);
	memset(s.blob.public, 1, s.blob.public_len = 78);
	memset(s.blob.private, 0xfe, s.blob.private_len = TPM_PRIVATE);
	memset(s.data, 0x5a, s.len = 40);
	seal_put_head(&o, &s);
	s.covered = o.len;
	seal_put_data(&o, &s);
	assert_false(o.cut);
	return o.len;
}

/* len bytes of text, which end at an unreadable page, as *got. */
static bool parse(struct sealed *got, size_t len)
{
	memset(got, 0x11, sizeof(*got));
	return seal_parse(got, guard_copy(&guard, text, len), len);
}

static void what_is_written_is_read(void **state)
{
	static struct sealed got;
	size_t len = make();

	(void)state;
	assert_true(seal_is_text((uint8_t *)text, len));
	assert_true(parse(&got, len));
	assert_string_equal(got.name, s.name);
	assert_int_equal(got.pcrs.mask, s.pcrs.mask);
	assert_memory_equal(got.pcrs.value[0], s.pcrs.value[0], TPM_DIGEST);
	assert_memory_equal(got.pcrs.value[23], s.pcrs.value[23], TPM_DIGEST);
	assert_int_equal(got.blob.public_len, 78);
	assert_memory_equal(got.blob.public, s.blob.public, 78);
	assert_int_equal(got.blob.private_len, TPM_PRIVATE);
	assert_memory_equal(got.blob.private, s.blob.private, TPM_PRIVATE);
	assert_int_equal(got.covered, s.covered);
	assert_int_equal(got.len, 40);
	assert_memory_equal(got.data, s.data, 40);
}

static void a_text_that_is_cut_or_longer_is_none(void **state)
{
	static struct sealed got;
	size_t len = make();

	(void)state;
	for (size_t n = 0; n < len; n++)
		assert_false(parse(&got, n));
	text[len] = '\n';
	assert_false(parse(&got, len + 1));
}

/* The text with `to` in place of its first `from`, which is as long. */
static bool with(const char *from, const char *to)
{
	static struct sealed got;
	size_t len = make();
	char *at = strstr(text, from);

	assert_non_null(at);
	memcpy(at, to, strlen(to));
	return parse(&got, len);
}

static void each_line_is_checked(void **state)
{
	static struct sealed got;
	static char longer[2 * SEALED_DATA + 3];
	size_t len;

	(void)state;
	assert_true(with("pcr 23", "pcr 22"));
	assert_false(with("pcr 23", "pcr 24"));
	assert_false(with("pcr 23", "pcr 07"));
	assert_false(with("pcr 0 ", "pcr 9 "));
	assert_false(with("a0a0", "A0a0"));
	assert_false(with("a0a0", "a0a\n"));
	assert_false(with("a0a0", "a0 0"));
	assert_false(with("public", "Public"));
	assert_false(with("name n", "name  "));
	assert_false(with("tls-psk\n", "tls-psk "));
	assert_false(with("credential 1", "credential 2"));
	/* longer than there is room for */
	len = make();
	memset(longer, '0', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\n';
	memcpy(text + s.covered + 5, longer, sizeof(longer));
	assert_false(parse(&got, s.covered + 5 + sizeof(longer)));
	assert_true(len);
}

/* Its name has `len` letters. */
static bool named(size_t len)
{
	static struct sealed got;
	const char *from = "nbdboot.tls-psk";
	size_t was = strlen(from), n = make();
	char *at = strstr(text, from);

	assert_non_null(at);
	memmove(at + len, at + was, n - (size_t)(at - text) - was);
	memset(at, 'n', len);
	return parse(&got, n - was + len);
}

static void a_name_has_its_room(void **state)
{
	(void)state;
	assert_true(named(1));
	assert_true(named(SEALED_NAME - 1));
	assert_false(named(SEALED_NAME));
	assert_false(named(0));
}

static void lists_of_pcrs(void **state)
{
	(void)state;
	assert_int_equal(seal_parse_pcrs("7"), 1u << 7);
	assert_int_equal(seal_parse_pcrs("0,7,23"),
			 1u << 0 | 1u << 7 | 1u << 23);
	assert_int_equal(seal_parse_pcrs("7,7"), 1u << 7);
	assert_int_equal(seal_parse_pcrs(""), 0);
	assert_int_equal(seal_parse_pcrs(","), 0);
	assert_int_equal(seal_parse_pcrs("7,"), 0);
	assert_int_equal(seal_parse_pcrs("24"), 0);
	assert_int_equal(seal_parse_pcrs("4294967303"), 0);
	assert_int_equal(seal_parse_pcrs("7 11"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(a_text_that_is_cut_or_longer_is_none),
		cmocka_unit_test(each_line_is_checked),
		cmocka_unit_test(a_name_has_its_room),
		cmocka_unit_test(lists_of_pcrs),
	};
	int rc;

	guard = guard_new(SEALED_TEXT);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	guard_free(&guard);
	return rc;
}
