/* SPDX-License-Identifier: BSD-2-Clause */
/* The Internet checksum, beside that of RFC 1071, byte by byte. */
#include "port/lwip/hooks.h"
#include "tests/guard.h"
#include "tests/unit.h"

#include <string.h>

/* RFC 1071 4.1, with the first byte of each pair as the high one. */
static uint16_t slow(const unsigned char *p, size_t len)
{
	unsigned char out[2];
	uint32_t sum = 0;
	uint16_t n;

	for (size_t i = 0; i < len; i++)
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum >> 16) + (sum & 0xffff);
	out[0] = (unsigned char)(sum >> 8);
	out[1] = (unsigned char)sum;
	memcpy(&n, out, 2);
	return n;
}

static void it_is_that_of_rfc_1071_for_each_length_and_place(void **state)
{
	struct guard g = guard_new(2048);
	unsigned char from[2048];
	uint32_t r = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (unsigned char)((r = r * 1664525 + 1013904223) >> 24);
	for (size_t len = 0; len <= 1500; len += len < 80 ? 1 : 71)
		for (size_t at = 0; at < 8; at++) {
			/* the last byte is the last before the page */
			unsigned char *p = guard_end(&g, len + at);

			memcpy(p, from + at, len + at);
			assert_int_equal(lwnet_checksum(p, (int)len),
					 slow(p, len));
			assert_int_equal(lwnet_checksum(p + at, (int)len),
					 slow(p + at, len));
		}
	guard_free(&g);
}

static void the_longest_of_ones_is_ones(void **state)
{
	static unsigned char ones[65535];

	(void)state;
	memset(ones, 0xff, sizeof(ones));
	assert_int_equal(lwnet_checksum(ones, 65534), 0xffff);
	assert_int_equal(lwnet_checksum(ones, 65535), slow(ones, 65535));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			it_is_that_of_rfc_1071_for_each_length_and_place),
		cmocka_unit_test(the_longest_of_ones_is_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
