/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of DNS: every cut of an answer, and every lie in it. */
#include "port/dns_msg.h"

#include "tests/guard.h"
#include "tests/unit.h"

static uint8_t q[DNS_QUERY_MAX], p[1024];
static size_t q_len, len;
static struct dns_target targets[DNS_TARGETS];
static struct dns_found f = { .target = targets };
static struct guard guard;

static void add(const char *bytes, size_t n)
{
	memcpy(p + len, bytes, n);
	len += n;
}

/* An answer to a question of that type, without a record yet. */
static void begin(enum dns_type type, unsigned answers)
{
	q_len = dns_query(q, 0x1234, "srv.example.org", type);
	memcpy(p, q, q_len);
	p[2] |= 0x80;
	p[7] = (uint8_t)answers;
	len = q_len;
	f.n = 0;
}

#define ADD(text) add(text, sizeof(text) - 1)
#define A(last)	  ADD("\xc0\x0c\0\1\0\1\0\0\0\1\0\4\xc0\0\2" last)

static enum dns_answer read_answer(void)
{
	return dns_read(guard_copy(&guard, p, len), len, q, q_len, &f);
}

static void a_question_has_a_name_and_a_type(void **state)
{
	char name[300];

	(void)state;
	assert_int_equal(dns_query(q, 0x1234, "a.bc.", DNS_AAAA), 22);
	assert_memory_equal(
		q, "\x12\x34\1\0\0\1\0\0\0\0\0\0\1a\2bc\0\0\x1c\0\1", 22);
	assert_int_equal(dns_query(q, 1, "", DNS_A), 0);
	assert_int_equal(dns_query(q, 1, ".", DNS_A), 0);
	assert_int_equal(dns_query(q, 1, "a..b", DNS_A), 0);
	assert_int_equal(dns_query(q, 1, ".a", DNS_A), 0);
	/* a label has 63 bytes, a name 253 */
	memset(name, 'x', sizeof(name));
	name[64] = '\0';
	assert_int_equal(dns_query(q, 1, name, DNS_A), 0);
	name[63] = '\0';
	assert_int_equal(dns_query(q, 1, name, DNS_A), 12 + 65 + 4);
	for (size_t i = 0; i < sizeof(name); i++)
		name[i] = i % 2 ? '.' : 'x';
	name[254] = '\0';
	assert_int_equal(dns_query(guard_end(&guard, DNS_QUERY_MAX), 1, name,
				   DNS_A),
			 12 + 255 + 4);
	name[254] = '.';
	name[255] = 'x';
	name[256] = '\0';
	assert_int_equal(dns_query(q, 1, name, DNS_A), 0);
}

static void addresses_of_the_type_are_found_behind_aliases(void **state)
{
	(void)state;
	begin(DNS_A, 3);
	ADD("\xc0\x0c\0\5\0\1\0\0\0\1\0\4\1a\xc0\x10");
	ADD("\1a\xc0\x10\0\1\0\1\0\0\0\1\0\4\xc0\0\2\1");
	A("\2");
	assert_int_equal(read_answer(), DNS_FOUND);
	assert_int_equal(f.n, 2);
	assert_memory_equal(f.ip[1].ip, "\xc0\0\2\2", 4);
	/* of another type, class or size it is none */
	begin(DNS_AAAA, 1);
	A("\1");
	assert_int_equal(read_answer(), DNS_NONE);
	begin(DNS_A, 2);
	ADD("\xc0\x0c\0\1\0\3\0\0\0\1\0\4\xc0\0\2\1");
	ADD("\xc0\x0c\0\1\0\1\0\0\0\1\0\3\xc0\0\2");
	assert_int_equal(read_answer(), DNS_NONE);
	/* as many as there is room for */
	begin(DNS_A, 20);
	for (int i = 0; i < 20; i++)
		A("\1");
	assert_int_equal(read_answer(), DNS_FOUND);
	assert_int_equal(f.n, DNS_ADDRS);
}

static void what_is_no_answer_is_not_one(void **state)
{
	(void)state;
	for (size_t at = 0; at < 12 + 17 + 4; at++) {
		/* flags, the code, and counts of other sections do not matter */
		if (at > 1 && at < 12 && at != 2 && at != 4 && at != 5)
			continue;
		begin(DNS_A, 1);
		A("\1");
		p[at] ^= at == 2 ? 0x80 : 1;
		assert_int_equal(read_answer(), DNS_OTHER);
		assert_int_equal(f.n, 0);
	}
	/* in capitals it is the same name; '@' is not '`' */
	begin(DNS_A, 1);
	A("\1");
	p[13] = 'S';
	assert_int_equal(read_answer(), DNS_FOUND);
}

static void codes_say_why_there_is_none(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 16; code++) {
		begin(DNS_A, 0);
		p[3] = (uint8_t)(0x80 | code);
		assert_int_equal(read_answer(), code == 0   ? DNS_NONE
						: code == 3 ? DNS_NO_NAME
							    : DNS_REFUSED);
	}
	/* a server that did not read the question leaves it out */
	begin(DNS_A, 0);
	p[3] = 1;
	p[5] = 0;
	len = 12;
	assert_int_equal(read_answer(), DNS_REFUSED);
	p[3] = 0;
	assert_int_equal(read_answer(), DNS_OTHER);
}

static void a_cut_is_seen(void **state)
{
	(void)state;
	begin(DNS_A, 2);
	A("\1");
	p[2] |= 2;
	assert_int_equal(read_answer(), DNS_CUT);
	assert_int_equal(f.n, 1);
	for (size_t n = 0;; n++) {
		size_t whole;

		begin(DNS_A, 2);
		A("\1");
		A("\2");
		whole = len;
		len = n;
		if (n == whole)
			break;
		assert_int_equal(read_answer(), n < q_len	 ? DNS_OTHER
						: n < q_len + 16 ? DNS_REFUSED
								 : DNS_FOUND);
	}
	assert_int_equal(read_answer(), DNS_FOUND);
	assert_int_equal(f.n, 2);
}

/* ---- services ---- */

/* Bytes of a record behind the name: type, class, time, and length of data. */
#define SRV(size, numbers, name) \
	ADD("\xc0\x0c\0\x21\0\1\0\0\0\1\0" size numbers name)

static void servers_of_a_service_are_sorted_by_priority(void **state)
{
	(void)state;
	begin(DNS_SRV, 3);
	SRV("\x10", "\0\x14\0\5\x2a\x39", "\1b\4test\1x\0");
	/* a name that others are in, and a compressed one */
	SRV("\x0b", "\0\x0a\0\0\x2a\x3a", "\2a-\xc0\x10");
	SRV("\7", "\0\x1e\0\0\0\0", "\0");
	assert_int_equal(read_answer(), DNS_FOUND);
	assert_int_equal(f.n, 3);
	assert_string_equal(targets[0].name, "a-.example.org");
	assert_int_equal(targets[0].port, 10810);
	assert_int_equal(targets[0].priority, 10);
	assert_string_equal(targets[1].name, "b.test.x");
	assert_int_equal(targets[1].weight, 5);
	assert_string_equal(targets[2].name, "");
}

static void of_many_servers_the_first_are_kept(void **state)
{
	(void)state;
	begin(DNS_SRV, 30);
	for (unsigned i = 0; i < 30; i++) {
		SRV("\x09", "\0\0\0\0\0\1", "\1a\0");
		p[len - 8] = (uint8_t)(30 - i);
	}
	assert_int_equal(read_answer(), DNS_FOUND);
	assert_int_equal(f.n, DNS_TARGETS);
	for (unsigned i = 0; i < DNS_TARGETS; i++)
		assert_int_equal(targets[i].priority, 1 + i);
}

static void a_name_that_no_host_has_is_left_out(void **state)
{
	char text[300];
	size_t n;

	(void)state;
	begin(DNS_SRV, 7);
	SRV("\x0a", "\0\1\0\0\0\1", "\2a \0");
	SRV("\x0a", "\0\1\0\0\0\1", "\2-a\0");
	SRV("\x0a", "\0\1\0\0\0\1", "\2a.\0");
	/* port 0, no name, a byte too many, and one too few */
	SRV("\x09", "\0\1\0\0\0\0", "\1a\0");
	SRV("\6", "\0\1\0\0\0\1", "");
	SRV("\x0a", "\0\1\0\0\0\1", "\1a\0\0");
	SRV("\x08", "\0\1\0\0\0\1", "\1a");
	assert_int_equal(read_answer(), DNS_NONE);
	/* pointers to themselves, forward, in a circle, and half of one */
	begin(DNS_SRV, 4);
	SRV("\x08", "\0\1\0\0\0\1", "\xc0\x33");
	p[len - 1] = (uint8_t)(len - 2);
	SRV("\x08", "\0\1\0\0\0\1", "\xc3\xff");
	SRV("\x0a", "\0\1\0\0\0\1", "\1a\xc0\x33");
	p[len - 1] = (uint8_t)(len - 4);
	SRV("\7", "\0\1\0\0\0\1", "\xc0");
	assert_int_equal(read_answer(), DNS_NONE);
	/* 253 bytes are a name, and 254 are not */
	for (unsigned last = 61; last <= 62; last++) {
		memset(text, 'x', sizeof(text));
		text[0] = text[64] = text[128] = 63;
		text[192] = (char)last;
		n = 192 + 1 + last + 1;
		text[n - 1] = 0;
		begin(DNS_SRV, 1);
		SRV("\0", "\0\1\0\0\0\1", "");
		p[len - 8] = (uint8_t)((6 + n) >> 8);
		p[len - 7] = (uint8_t)(6 + n);
		add(text, n);
		assert_int_equal(read_answer(),
				 last == 61 ? DNS_FOUND : DNS_NONE);
		assert_int_equal(strlen(targets[0].name), 253);
	}
}

static void a_cut_service_is_no_other_one(void **state)
{
	(void)state;
	for (size_t n = 0;; n++) {
		size_t whole;

		begin(DNS_SRV, 2);
		SRV("\x10", "\0\x14\0\5\x2a\x39", "\1b\4test\1x\0");
		SRV("\x0b", "\0\x0a\0\0\x2a\x3a", "\2a-\xc0\x10");
		whole = len;
		len = n;
		if (n > whole)
			break;
		assert_int_equal(read_answer(), n < q_len	 ? DNS_OTHER
						: n < q_len + 28 ? DNS_REFUSED
								 : DNS_FOUND);
		assert_int_equal(f.n, n < q_len + 28 ? 0 : n < whole ? 1 : 2);
	}
}

static void weights_are_shares_of_a_priority(void **state)
{
	static const uint16_t weights[] = { 9, 100, 300, 600, 0 };
	unsigned first[5] = { 0 }, last[5] = { 0 };
	uint32_t random = 1;

	(void)state;
	for (unsigned round = 0; round < 10000; round++) {
		for (unsigned i = 0; i < 5; i++)
			targets[i] = (struct dns_target){
				.priority = i > 0,
				.weight = weights[i],
				.port = (uint16_t)i,
			};
		dns_srv_order(targets, 5, &random);
		assert_int_equal(targets[0].port, 0);
		first[targets[1].port]++;
		last[targets[4].port]++;
	}
	assert_in_range(first[1], 900, 1100);
	assert_in_range(first[2], 2800, 3200);
	assert_in_range(first[3], 5800, 6200);
	/* without a weight: only if nobody else is there */
	assert_int_equal(last[4], 10000);
	for (unsigned round = 0; round < 10000; round++) {
		for (unsigned i = 0; i < 2; i++)
			targets[i] = (struct dns_target){ .port = (uint16_t)i };
		dns_srv_order(targets, 2, &random);
		last[0] += targets[0].port == 0;
	}
	assert_in_range(last[0], 4700, 5300);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_question_has_a_name_and_a_type),
		cmocka_unit_test(
			addresses_of_the_type_are_found_behind_aliases),
		cmocka_unit_test(what_is_no_answer_is_not_one),
		cmocka_unit_test(codes_say_why_there_is_none),
		cmocka_unit_test(a_cut_is_seen),
		cmocka_unit_test(servers_of_a_service_are_sorted_by_priority),
		cmocka_unit_test(of_many_servers_the_first_are_kept),
		cmocka_unit_test(a_name_that_no_host_has_is_left_out),
		cmocka_unit_test(a_cut_service_is_no_other_one),
		cmocka_unit_test(weights_are_shares_of_a_priority),
	};

	guard = guard_new(1024);
	return cmocka_run_group_tests_name("DNS messages", tests, NULL, NULL);
}
