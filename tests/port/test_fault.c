/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts for the errors of mbedTLS's parsers: one for each number that its
 * headers have.  tests/interop/test_certificates.sh makes the files.
 */
#include "tests/unit.h"
#include "port/mbedtls/fault.h"

#include <stdlib.h>

/* Calls f for each error of a header; returns how many there are. */
static unsigned each_error(const char *header,
			   void (*f)(const char *name, int ret))
{
	char path[128], line[512], name[128];
	unsigned n = 0, number;
	FILE *file;

	snprintf(path, sizeof(path), MBEDTLS_HEADERS "/%s", header);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "#define MBEDTLS_ERR_%127s -0x%x", name,
			   &number) == 2) {
			f(name, -(int)number);
			n++;
		}
	fclose(file);
	return n;
}

static void has_text(const char *name, int ret)
{
	/* of other implementations than mbedTLS's */
	if (strstr(name, "HW_ACCEL_FAILED"))
		return;
	if (!strcmp(fault_by_number(ret).what, "cannot be parsed"))
		fail_msg("no text for %s", name);
	/* with the reason within */
	assert_string_equal(fault_by_number(ret - 0x2e).what,
			    fault_by_number(ret).what);
	assert_non_null(fault_by_number(ret).remedy);
}

static void every_error_of_the_parsers_has_a_text(void **state)
{
	(void)state;
	assert_true(each_error("pem.h", has_text) >= 9);
	assert_true(each_error("x509.h", has_text) >= 20);
	assert_true(each_error("pk.h", has_text) >= 13);
}

static void another_number_has_a_text_too(void **state)
{
	(void)state;
	assert_string_equal(fault_by_number(-0x7780).what, "cannot be parsed");
	assert_string_equal(fault_by_number(-1).what, "cannot be parsed");
}

static void what_a_file_says_of_itself_counts_first(void **state)
{
	static const char cert[] = "-----BEGIN CERTIFICATE-----\n",
			  key[] = "-----BEGIN PRIVATE KEY-----\n";

	(void)state;
	assert_non_null(strstr(fault_of_file(key, false, -0x2180).what,
			       "where a certificate is needed"));
	assert_non_null(strstr(fault_of_file(cert, true, -0x3d00).what,
			       "where a private key is needed"));
	/* nbd-client has other options than ours, and a URI has none */
	assert_string_equal(fault_of_file(key, false, -0x2180).remedy,
			    fault_of_file(cert, true, -0x3d00).remedy);
	assert_null(strstr(fault_of_file(key, false, -0x2180).remedy, " -"));
	assert_string_equal(fault_of_file(key, true, -0x3c80).what,
			    fault_by_number(-0x3c80).what);
	assert_string_equal(fault_of_file(cert, false, -0x3c80).what,
			    fault_by_number(-0x3c80).what);
	assert_string_equal(fault_of_file("", false, -0x2180).what,
			    fault_by_number(-0x1080).what);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_error_of_the_parsers_has_a_text),
		cmocka_unit_test(another_number_has_a_text_too),
		cmocka_unit_test(what_a_file_says_of_itself_counts_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
