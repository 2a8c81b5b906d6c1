/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of what a boot reads: their text, and how they grow. */
#include "boot/prefetch/extents.h"
#include "tests/guard.h"
#include "tests/unit.h"

#include <stdlib.h>

#define HEAD "nbdboot-prefetch 1\nimage 1000 ext4:1-2\n"

static struct prefetch_list list, other;
static char text[PREFETCH_FILE];
static struct nbd_diag d;

static int parse(const char *p)
{
	return prefetch_parse(&list, p, strlen(p), &d);
}

static size_t print(void)
{
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };

	prefetch_print(&list, &o);
	assert_false(o.cut);
	return o.len;
}

static void expect(const char *want)
{
	size_t n = print();

	assert_int_equal(n, strlen(want));
	assert_memory_equal(text, want, n);
}

static void start(uint64_t sectors)
{
	list = (struct prefetch_list){ .image = "x", .sectors = sectors };
}

static void what_is_printed_is_parsed(void **state)
{
	static const char whole[] = HEAD "0 8\n16 8\n992 8\nend 3\n";

	(void)state;
	assert_int_equal(parse(whole), NBD_OK);
	assert_string_equal(list.image, "ext4:1-2");
	assert_int_equal(list.sectors, 1000);
	assert_int_equal(list.n, 3);
	assert_int_equal(list.e[2].start, 992);
	assert_int_equal(prefetch_sum(&list), 24);
	expect(whole);
	assert_int_equal(parse(HEAD "end 0\n"), NBD_OK);
	expect(HEAD "end 0\n");
	/* the last one ends with the device, which is no multiple */
	assert_int_equal(parse("nbdboot-prefetch 1\nimage 11 \n8 3\nend 1\n"),
			 NBD_OK);
	expect("nbdboot-prefetch 1\nimage 11 \n8 3\nend 1\n");
}

static void a_hostile_list_is_refused(void **state)
{
	static const struct {
		const char *text;
		const char *line;
	} cases[] = {
		{ "", "line 1 " },
		{ "nbdboot-prefetch 2\nimage 1 x\nend 0\n", "line 1 " },
		{ "nbdboot-prefetch 1\nimage x x\nend 0\n", "line 2 " },
		{ "nbdboot-prefetch 1\nimage 9223372036854775808 x\nend 0\n",
		  "line 2 " },
		{ "nbdboot-prefetch 1\nimage 18446744073709551624 x\nend 0\n",
		  "line 2 " },
		{ "nbdboot-prefetch 1\nimage 10 a b\nend 0\n", "line 2 " },
		{ "nbdboot-prefetch 1\nimage 10 a\033b\nend 0\n", "line 2 " },
		{ "nbdboot-prefetch 1\nimage 10 a\\b\nend 0\n", "line 2 " },
		{ HEAD "0 0\nend 1\n", "line 3 " },
		{ HEAD "0 9\nend 1\n", "line 3 " },
		{ HEAD "1 8\nend 1\n", "line 3 " },
		{ HEAD "00 8\nend 1\n", "line 3 " },
		{ HEAD "0 08\nend 1\n", "line 3 " },
		{ HEAD "-8 8\nend 1\n", "line 3 " },
		{ HEAD "0  8\nend 1\n", "line 3 " },
		{ HEAD "0 8 \nend 1\n", "line 3 " },
		/* overlapping, touching, unsorted */
		{ HEAD "0 16\n8 8\nend 2\n", "line 4 " },
		{ HEAD "0 8\n8 8\nend 2\n", "line 4 " },
		{ HEAD "16 8\n0 8\nend 2\n", "line 4 " },
		/* behind the end, also by a sum that wraps */
		{ HEAD "1000 8\nend 1\n", "line 3 " },
		{ HEAD "992 16\nend 1\n", "line 3 " },
		{ HEAD "8 18446744073709551608\nend 1\n", "line 3 " },
		{ HEAD "9223372036854775808 8\nend 1\n", "line 3 " },
		{ HEAD "8 9223372036854775808\nend 1\n", "line 3 " },
		/* cut, or longer than it says */
		{ HEAD "0 8\n", "line 4 " },
		{ HEAD "0 8\nend 2\n", "line 4 " },
		{ HEAD "0 8\nend 1", "line 4 " },
		{ HEAD "0 8\nend 1\n\n", "line 4 " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(parse(cases[i].text), NBD_E_MISMATCH);
		assert_non_null(strstr(d.text, cases[i].line));
		assert_int_equal(list.n, 0);
	}
}

static void every_cut_list_is_refused(void **state)
{
	static const char whole[] = HEAD "0 8\n16 8\nend 2\n";
	struct guard g = guard_new(sizeof(whole));
	size_t n = strlen(whole);

	(void)state;
	for (size_t len = 0; len <= n; len++)
		assert_int_equal(prefetch_parse(&list,
						guard_copy(&g, whole, len), len,
						&d),
				 len == n ? NBD_OK : NBD_E_MISMATCH);
	guard_free(&g);
}

static void a_million_extents_are_refused(void **state)
{
	size_t n = 0, cap = 32u << 20;
	char *p = malloc(cap);

	(void)state;
	n = (size_t)snprintf(p, cap, "nbdboot-prefetch 1\nimage 99999999 x\n");
	for (unsigned i = 0; i < 1000000; i++)
		n += (size_t)snprintf(p + n, cap - n, "%u 8\n", i * 16);
	snprintf(p + n, cap - n, "end 1000000\n");
	assert_int_equal(parse(p), NBD_E_MISMATCH);
	/* the first one too many */
	assert_non_null(strstr(d.text, "line 4099 "));
	free(p);
}

static void the_longest_list_has_room_in_a_file(void **state)
{
	(void)state;
	start(PREFETCH_DISK);
	memset(list.image, 'x', sizeof(list.image) - 1);
	for (unsigned i = 0; i < PREFETCH_MAX; i++)
		prefetch_add(&list, PREFETCH_DISK - 32768ull * (i + 1), 16384);
	assert_int_equal(list.n, PREFETCH_MAX);
	assert_true(print() < PREFETCH_FILE);
}

static void reads_are_sorted_and_joined(void **state)
{
	(void)state;
	start(1003);
	prefetch_add(&list, 100, 8); /* 96 to 112 */
	prefetch_add(&list, 40, 8);
	prefetch_add(&list, 16, 8);
	prefetch_add(&list, 24, 8);    /* touches */
	prefetch_add(&list, 999, 500); /* cut off */
	prefetch_add(&list, 1003, 1);
	prefetch_add(&list, UINT64_MAX, UINT64_MAX);
	prefetch_add(&list, 200, 0);
	expect("nbdboot-prefetch 1\nimage 1003 x\n"
	       "16 16\n40 8\n96 16\n992 11\nend 4\n");
	prefetch_add(&list, 20, 90); /* covers three */
	expect("nbdboot-prefetch 1\nimage 1003 x\n16 96\n992 11\nend 2\n");
	prefetch_add(&list, 0, UINT64_MAX);
	expect("nbdboot-prefetch 1\nimage 1003 x\n0 1003\nend 1\n");
}

static void gaps_are_joined_up_to_a_size(void **state)
{
	(void)state;
	start(1000);
	prefetch_join(&list, 8);
	assert_int_equal(list.n, 0);
	prefetch_add(&list, 0, 8);
	prefetch_add(&list, 16, 8);
	prefetch_add(&list, 40, 8);
	prefetch_add(&list, 56, 8);
	prefetch_join(&list, 8);
	expect("nbdboot-prefetch 1\nimage 1000 x\n0 24\n40 24\nend 2\n");
	prefetch_join(&list, 16);
	expect("nbdboot-prefetch 1\nimage 1000 x\n0 64\nend 1\n");
}

/* The same by one flag a unit. */
static void random_reads_are_all_in_the_list(void **state)
{
	static unsigned char map[4096];

	(void)state;
	srand(1);
	for (unsigned round = 0; round < 200; round++) {
		unsigned at = 0, runs = 0, in = 0;

		memset(map, 0, sizeof(map));
		start(sizeof(map) * 8);
		for (unsigned i = 0; i < 300; i++) {
			unsigned s = (unsigned)rand() % (sizeof(map) * 8),
				 n = 1 + (unsigned)rand() % 200;

			prefetch_add(&list, s, n);
			for (unsigned k = s / 8;
			     k <= (s + n - 1) / 8 && k < sizeof(map); k++)
				map[k] = 1;
		}
		for (unsigned k = 0; k < sizeof(map); k++) {
			runs += map[k] && !in;
			in = map[k];
		}
		assert_int_equal(list.n, runs);
		for (unsigned i = 0; i < list.n; i++) {
			for (; at < list.e[i].start / 8; at++)
				assert_int_equal(map[at], 0);
			for (; at < (list.e[i].start + list.e[i].len) / 8; at++)
				assert_int_equal(map[at], 1);
		}
		for (; at < sizeof(map); at++)
			assert_int_equal(map[at], 0);
		assert_int_equal(prefetch_parse(&other, text, print(), &d),
				 NBD_OK);
		assert_int_equal(other.n, list.n);
	}
}

static void a_full_list_joins_the_smallest_gap(void **state)
{
	uint64_t at = 0;

	(void)state;
	start(1u << 24);
	/* gaps of 16, but for one of 8 */
	for (unsigned i = 0; i < PREFETCH_MAX; i++) {
		prefetch_add(&list, at, 8);
		at += i == 77 ? 16 : 24;
	}
	assert_int_equal(list.n, PREFETCH_MAX);
	prefetch_add(&list, at + 100, 8);
	assert_int_equal(list.n, PREFETCH_MAX);
	assert_int_equal(list.e[77].len, 24);
	/* one in a gap that is joined for it */
	prefetch_add(&list, 12, 1);
	assert_true(list.n <= PREFETCH_MAX);
	for (unsigned i = 1; i < list.n; i++)
		assert_true(list.e[i].start >
			    list.e[i - 1].start + list.e[i - 1].len);
}

static void a_list_for_mirrors_is_short(void **state)
{
	(void)state;
	start(1u << 24);
	/* 1, 2 ... 8 units, with gaps of 8, 16 ... 64 */
	for (unsigned i = 0; i < 8; i++)
		prefetch_add(&list, i * 200 + 8, (8 - i) * 8);
	prefetch_reduce(&list, 8);
	assert_int_equal(list.n, 8);
	/* gaps of 136 and more: none is within an eighth of 288 */
	prefetch_reduce(&list, 6);
	assert_int_equal(list.n, 6);
	assert_int_equal(list.e[5].start, 1008);
	assert_int_equal(prefetch_sum(&list), 264);
	/* but one of 24 is */
	prefetch_add(&list, 1056, 8);
	prefetch_reduce(&list, 6);
	assert_int_equal(list.n, 6);
	assert_int_equal(list.e[5].len, 56);
	prefetch_reduce(&list, 1);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.e[0].start, 8);
}

static void a_list_of_another_image_is_named(void **state)
{
	(void)state;
	start(1000);
	assert_int_equal(prefetch_is_of(&list, "x", 1000, &d), NBD_OK);
	assert_int_equal(prefetch_is_of(&list, "x", 1001, &d), NBD_E_MISMATCH);
	assert_int_equal(prefetch_is_of(&list, "y", 1000, &d), NBD_E_MISMATCH);
	assert_string_equal(d.text, "the list is of x with 1000 sectors, and "
				    "the root is y with 1000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_printed_is_parsed),
		cmocka_unit_test(a_hostile_list_is_refused),
		cmocka_unit_test(every_cut_list_is_refused),
		cmocka_unit_test(a_million_extents_are_refused),
		cmocka_unit_test(the_longest_list_has_room_in_a_file),
		cmocka_unit_test(reads_are_sorted_and_joined),
		cmocka_unit_test(gaps_are_joined_up_to_a_size),
		cmocka_unit_test(random_reads_are_all_in_the_list),
		cmocka_unit_test(a_full_list_joins_the_smallest_gap),
		cmocka_unit_test(a_list_for_mirrors_is_short),
		cmocka_unit_test(a_list_of_another_image_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
