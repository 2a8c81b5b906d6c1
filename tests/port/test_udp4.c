/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers of IPv4 and UDP: what is written is read, and nothing else. */
#include "port/udp4.h"
#include "tests/guard.h"
#include "tests/unit.h"

#define TEXT "hello, all of you"
#define LEN  (sizeof(TEXT) - 1)
#define ALL  (UDP4_HEAD + LEN)

static unsigned char buf[256];

static void make(void)
{
	memset(buf, 0, sizeof(buf));
	memcpy(buf + UDP4_HEAD, TEXT, LEN);
	udp4_head(buf, LEN, 67, 68);
}

static bool takes(size_t n, bool sums)
{
	struct guard g = guard_new(sizeof(buf));
	unsigned char *p = guard_copy(&g, buf, n), *payload;
	bool ok;

	payload = udp4_payload(p, &n, 68, sums);
	ok = payload && n == LEN && !memcmp(payload, TEXT, LEN);
	/* all or nothing: never another text */
	assert_true(ok || !payload || !sums);
	guard_free(&g);
	return ok;
}

static void what_is_sent_can_be_read(void **state)
{
	(void)state;
	make();
	assert_true(takes(ALL, true));
	/* Ethernet fills short frames up */
	assert_true(takes(ALL + 20, true));
	/* RFC 768's example of no sum */
	buf[26] = buf[27] = 0;
	assert_true(takes(ALL, true));
}

static void each_cut_is_refused(void **state)
{
	(void)state;
	make();
	for (size_t n = 0; n < ALL; n++) {
		assert_false(takes(n, true));
		assert_false(takes(n, false));
	}
}

static void each_wrong_bit_is_found(void **state)
{
	(void)state;
	for (size_t bit = 0; bit < ALL * 8; bit++) {
		make();
		buf[bit / 8] ^= (unsigned char)(1 << bit % 8);
		assert_false(takes(ALL, true));
	}
}

/* Sets a byte of the IP header and mends its sum. */
static void forge(size_t at, unsigned value)
{
	unsigned sum = 0;

	make();
	buf[at] = (unsigned char)value;
	buf[10] = buf[11] = 0;
	for (int i = 0; i < 20; i += 2)
		sum += (unsigned)buf[i] << 8 | buf[i + 1];
	sum = ~((sum & 0xffff) + (sum >> 16));
	buf[10] = (unsigned char)(sum >> 8);
	buf[11] = (unsigned char)sum;
}

static void headers_that_lie_are_refused(void **state)
{
	static const unsigned char t[][2] = {
		{ 0, 0x65 },	       /* version 6 */
		{ 0, 0x44 },	       /* a header of 16 bytes */
		{ 0, 0x4f },	       /* of 60 */
		{ 3, 27 },	       /* no room for UDP's */
		{ 3, 255 },	       /* longer than it came */
		{ 6, 0x20 }, { 7, 1 }, /* fragments */
		{ 9, 6 },	       /* TCP */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		forge(t[i][0], t[i][1]);
		assert_false(takes(ALL, false));
	}
	forge(6, 0x40); /* "do not fragment" is no fragment */
	assert_true(takes(ALL, true));
	make();
	buf[25] = 7; /* UDP's length */
	assert_false(takes(ALL, false));
	buf[25] = LEN + 9;
	assert_false(takes(ALL, false));
	make();
	buf[23] = 69; /* its port */
	assert_false(takes(ALL, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_sent_can_be_read),
		cmocka_unit_test(each_cut_is_refused),
		cmocka_unit_test(each_wrong_bit_is_found),
		cmocka_unit_test(headers_that_lie_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
