/* SPDX-License-Identifier: BSD-2-Clause */
/* Credentials in the OEM strings of SMBIOS. */
#include "tests/guard.h"
#include "tests/unit.h"
#include "boot/words/credential.h"

static struct guard guard;
static uint8_t got[256];

/* What is found of `which` in these tables, which end at an unreadable page. */
static long find(unsigned which, const char *tables, size_t len)
{
	uint8_t *p = guard_end(&guard, len);

	memcpy(p, tables, len);
	memset(got, 0, sizeof(got));
	return boot_credential_find(which, p, len, got, sizeof(got));
}

#define TEXT   "io.systemd.credential:"
#define BINARY "io.systemd.credential.binary:"
#define OTHER  "\1\4\0\0" TEXT "nbdboot.tls-psk=of another type\0\0"
#define OEM    "\13\5\1\0\2"

#define FIND(which, text) find(which, text, sizeof(text) - 1)

static void a_text_and_base64_are_found(void **state)
{
	(void)state;
	assert_int_equal(FIND(CREDENTIAL_PSK,
			      OTHER OEM "x\0" TEXT "nbdboot.tls-psk=a:00\0\0"),
			 4);
	assert_memory_equal(got, "a:00", 4);
	assert_int_equal(FIND(CREDENTIAL_KEY, OEM BINARY
			      "nbdboot.tls-key=LS0tLS1CRUdJTiAK\0\0"),
			 12);
	assert_memory_equal(got, "-----BEGIN \n", 12);
	/* RFC 4648, 10 */
	assert_int_equal(FIND(CREDENTIAL_CA,
			      OEM BINARY "nbdboot.tls-ca=Zm9vYg==\0\0"),
			 4);
	assert_memory_equal(got, "foob", 5);
	assert_int_equal(FIND(CREDENTIAL_CA,
			      OEM BINARY "nbdboot.tls-ca=Zm9vYmE=\0\0"),
			 5);
	assert_memory_equal(got, "fooba", 6);
	assert_int_equal(
		FIND(CREDENTIAL_CA, OEM BINARY "nbdboot.tls-ca=+/+/\0\0"), 3);
	assert_memory_equal(got, "\xfb\xff\xbf", 4);
}

static void the_first_of_several_counts(void **state)
{
	(void)state;
	assert_int_equal(FIND(CREDENTIAL_PSK,
			      OEM TEXT "nbdboot.tls-psk=first\0" TEXT
				       "nbdboot.tls-psk=2\0\0" OEM TEXT
				       "nbdboot.tls-psk=3\0\0"),
			 5);
	assert_memory_equal(got, "first", 5);
}

static void other_strings_are_not_it(void **state)
{
	static const char *const texts[] = {
		"",
		"=",
		TEXT,
		TEXT "=",
		TEXT "nbdboot.tls-ke=x",
		TEXT "nbdboot.tls-keys=x",
		TEXT "nbdboot.tls-key",
		"io.systemd.credential",
		" " TEXT "nbdboot.tls-key=x",
		"IO.systemd.credential:nbdboot.tls-key=x",
		BINARY,
		BINARY "nbdboot.tls-key",
	};
	char tables[128];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
		size_t n = strlen(texts[i]);

		memset(tables, 0, sizeof(tables));
		memcpy(tables, OEM, 5);
		memcpy(tables + 5, texts[i], n);
		assert_int_equal(find(CREDENTIAL_KEY, tables, n + 7), 0);
	}
	assert_int_equal(FIND(CREDENTIAL_PSK, OTHER), 0);
	/* behind the end */
	assert_int_equal(FIND(CREDENTIAL_PSK, "\177\4\0\0\0\0" OEM TEXT
					      "nbdboot.tls-psk=x\0\0"),
			 0);
}

static void bad_base64_is_reported(void **state)
{
	static const char *const texts[] = { "A",     "AB",   "ABC",  "ABCDE",
					     "====",  "A===", "AB=C", "A-CD",
					     "AB\nD", "=" };
	char tables[128];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
		int n;

		memset(tables, 0, sizeof(tables));
		memcpy(tables, OEM, 5);
		n = snprintf(tables + 5, sizeof(tables) - 5,
			     BINARY "nbdboot.tls-key=%s", texts[i]);
		assert_int_equal(find(CREDENTIAL_KEY, tables, (size_t)n + 7),
				 -1);
	}
}

static void one_that_is_too_long_is_reported(void **state)
{
	static char tables[1024] = OEM;

	(void)state;
	for (unsigned binary = 0; binary < 2; binary++) {
		for (int len = 0; len <= 2 * (int)sizeof(got); len += 4) {
			int bytes = binary ? len / 4 * 3 : len;
			int n = snprintf(tables + 5, sizeof(tables) - 5,
					 "%snbdboot.tls-key=%0*d",
					 binary ? BINARY : TEXT, len, 0);
			bool fits = bytes <= (int)sizeof(got);

			if (!len)
				continue;
			tables[5 + n + 1] = 0;
			assert_int_equal(find(CREDENTIAL_KEY, tables,
					      (size_t)n + 7),
					 fits ? bytes : -1);
		}
	}
}

static void tables_that_end_anywhere_are_read_to_there(void **state)
{
	static const char tables[] = OTHER OEM TEXT "nbdboot.tls-psk=a:00\0\0";

	(void)state;
	for (size_t len = 0; len < sizeof(tables) - 1; len++)
		assert_int_equal(find(CREDENTIAL_PSK, tables, len), 0);
	/* a length that is less than the head, or more than there is */
	assert_int_equal(FIND(CREDENTIAL_PSK, "\13\3\1\0\2a\0\0"), 0);
	assert_int_equal(FIND(CREDENTIAL_PSK, "\13\377\1\0\2a\0\0"), 0);
}

static bool plausible(unsigned which, const char *text)
{
	size_t len = strlen(text);

	return boot_credential_plausible(
		which, memcpy(guard_end(&guard, len), text, len), len);
}

static void what_is_encrypted_is_not_plausible(void **state)
{
	(void)state;
	assert_true(plausible(CREDENTIAL_KEY, "x\n-----BEGIN EC KEY-----"));
	assert_true(plausible(CREDENTIAL_CA, "-----BEGIN "));
	assert_true(plausible(CREDENTIAL_PSK, "alice:00"));
	assert_false(plausible(CREDENTIAL_KEY, "-----BEGIN"));
	assert_false(plausible(CREDENTIAL_KEY, "k6iUCUh0RJCQyvL8k8q1UyAAAA"));
	assert_false(plausible(CREDENTIAL_PSK, "k6iUCUh0RJCQyvL8k8q1UyAAAA"));
	assert_false(plausible(CREDENTIAL_PSK, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_and_base64_are_found),
		cmocka_unit_test(the_first_of_several_counts),
		cmocka_unit_test(other_strings_are_not_it),
		cmocka_unit_test(bad_base64_is_reported),
		cmocka_unit_test(one_that_is_too_long_is_reported),
		cmocka_unit_test(tables_that_end_anywhere_are_read_to_there),
		cmocka_unit_test(what_is_encrypted_is_not_plausible),
	};

	guard = guard_new(4096);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
