/* SPDX-License-Identifier: BSD-2-Clause */
/* Text in the encodings that people's tools write, and on a console of UCS-2. */
#include "boot/uefi/encoding.h"

#include "core/nbd_err.h"
#include "port/uefi/console.c"
#include "tests/guard.h"
#include "tests/unit.h"

#define TEXT(s) s, sizeof(s) - 1

static char to[64];
static bool more;

/* Flush against an unreadable page. */
static int decode(const char *from, size_t len, bool ansi)
{
	struct guard g = guard_new(len ? len : 1);
	void *p = guard_end(&g, len);
	int n;

	memcpy(p, from, len);
	n = uefi_decode(to, sizeof(to), p, len, ansi, &more);
	guard_free(&g);
	return n;
}

static const struct {
	const char *from;
	size_t len;
	const char *to; /* NULL: no text */
} cases[] = {
	/* one text of a UTF-8 character in each encoding */
	{ TEXT("a \xc3\xa9"), "a \xc3\xa9" },
	{ TEXT("\xef\xbb\xbf"
	       "a \xc3\xa9"),
	  "a \xc3\xa9" },
	{ TEXT("a\0 \0\xe9\0"), "a \xc3\xa9" },
	{ TEXT("\xff\xfe"
	       "a\0 \0\xe9\0"),
	  "a \xc3\xa9" },
	{ TEXT("\0a\0 \0\xe9"), "a \xc3\xa9" },
	{ TEXT("\xfe\xff\0a\0 \0\xe9"), "a \xc3\xa9" },
	/* with the mark the first character may be any */
	{ TEXT("\xff\xfe\xac\x20"), "\xe2\x82\xac" },
	/* a pair of surrogates */
	{ TEXT("\xff\xfe\x3d\xd8\x00\xde"), "\xf0\x9f\x98\x80" },
	{ TEXT("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80" },
	/* lines of Windows, and of those who came before it */
	{ TEXT("a\r\nb\rc\n"), "a\n\nb\nc\n" },
	/* the end is a NUL, or is not */
	{ TEXT("ab\0"), "ab" },
	{ TEXT("a\0b\0\0\0"), "ab" },
	{ TEXT("ab\0\0\0\0"), "ab" },
	{ TEXT(""), "" },
	{ TEXT("a"), "a" },
	{ TEXT("\0"), "" },
	{ TEXT("\xff\xfe"), "" },
	{ TEXT("\xef\xbb\xbf"), "" },
	/* half a character at the end is dropped */
	{ TEXT("a\0b"), "a" },
	/* no text: surrogates alone, in the wrong order or cut; controls */
	{ TEXT("a\0\x00\xde"), NULL },
	{ TEXT("a\0\x00\xde\x3d\xd8"), NULL },
	{ TEXT("a\0\x3d\xd8"), NULL },
	{ TEXT("a\x01"), NULL },
	{ TEXT("a\0\x01\0"), NULL },
	/* as firmware makes them: a GUID */
	{ TEXT("\x4e\xac\x08\x81\x11\x9f\x59\x4d"), NULL },
};

static void each_encoding_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int n = decode(cases[i].from, cases[i].len, false);

		if (!cases[i].to) {
			assert_int_equal(n, NBD_E_USAGE);
			continue;
		}
		assert_int_equal(n, strlen(cases[i].to));
		assert_string_equal(to, cases[i].to);
		assert_false(more);
	}
}

static void what_is_not_utf8_may_be_ansi(void **state)
{
	(void)state;
	assert_int_equal(decode(TEXT("caf\xe9"), true), 5);
	assert_string_equal(to, "caf\xc3\xa9");
	assert_int_equal(decode(TEXT("caf\xe9"), false), NBD_E_USAGE);
	/* cut in a character of UTF-8 */
	assert_int_equal(decode(TEXT("\xe2\x82"), true), 4);
}

static void more_behind_a_nul_is_said(void **state)
{
	(void)state;
	assert_int_equal(decode(TEXT("ab\0c"), false), 2);
	assert_true(more);
	assert_int_equal(decode(TEXT("a\0b\0\0\0c\0"), false), 2);
	assert_true(more);
}

/* Each length of a text, in each room. */
static void no_byte_is_written_behind_the_room(void **state)
{
	static const char from[] = "a\0\xac\x20\x3d\xd8\x00\xde\xe9\0b";
	struct guard g = guard_new(16);

	(void)state;
	for (size_t cap = 1; cap <= 16; cap++) {
		char *p = guard_end(&g, cap);
		int n = uefi_decode(p, cap, from, sizeof(from) - 1, false,
				    &more);

		if (cap > 14)
			assert_int_equal(n, 10);
		if (n < 0)
			assert_int_equal(n, NBD_E_NO_MEMORY);
	}
	guard_free(&g);
}

static efi_char shown[16];

static efi_status show(struct efi_text_out *out, const efi_char *text)
{
	(void)out;
	for (size_t i = 0; i < ARRAY_SIZE(shown) - 1 && text[i]; i++)
		shown[i] = text[i];
	return 0;
}

static struct efi_text_out out = { .output = show };
static struct efi_system table = { .out = &out };
struct efi_world efi = { .st = &table };

/* Half of U+1000D would be a CR, and of U+1001B an escape: text of a server. */
static void no_part_of_a_character_is_shown(void **state)
{
	static const efi_char want[] = { 'a', 0xe9, '?', '?', '\r', '\n', 0 };

	(void)state;
	efi_print("%s\n", "a\xc3\xa9\xf0\x90\x80\x8d\xf0\x90\x80\x9b");
	assert_memory_equal(shown, want, sizeof(want));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_encoding_is_read),
		cmocka_unit_test(what_is_not_utf8_may_be_ansi),
		cmocka_unit_test(more_behind_a_nul_is_said),
		cmocka_unit_test(no_byte_is_written_behind_the_room),
		cmocka_unit_test(no_part_of_a_character_is_shown),
	};

	return cmocka_run_group_tests_name("uefi encoding", tests, NULL, NULL);
}
