/* SPDX-License-Identifier: BSD-2-Clause */
/* The map of a copy, and its text, which is that of GNU ddrescue. */
#include "boot/copy/map.h"
#include "core/nbd_err.h"

#include "tests/unit.h"

#include <stdlib.h>

#define SIZE 4096

static struct map map;

/* One character a byte; also checks what a map promises. */
static const char *states(void)
{
	static char text[SIZE + 1];
	unsigned i = 0;

	for (uint64_t at = 0; at < map.size; at++) {
		if (i + 1 < map.n && map.area[i + 1].at == at)
			i++;
		text[at] = map.area[i].state;
	}
	assert_int_equal(i + 1, map.n);
	for (i = 1; i < map.n; i++) {
		assert_true(map.area[i - 1].at < map.area[i].at);
		assert_true(map.area[i - 1].state != map.area[i].state);
	}
	text[map.size] = '\0';
	return text;
}

static void a_map_begins_with_nothing_tried(void **state)
{
	unsigned areas;

	(void)state;
	copy_map_begin(&map, 4);
	assert_string_equal(states(), "????");
	assert_int_equal(copy_map_sum(&map, "+", &areas), 4);
	assert_int_equal(areas, 1);
	copy_map_begin(&map, 0);
	assert_int_equal(map.n, 0);
	assert_int_equal(copy_map_sum(&map, "", NULL), 0);
}

/* Compared with an array of bytes. */
static void areas_are_set_wherever_they_lie(void **state)
{
	char want[SIZE + 1];

	(void)state;
	srand(1);
	for (unsigned round = 0; round < 2000; round++) {
		unsigned size = 1 + (unsigned)rand() % 24;

		copy_map_begin(&map, size);
		memset(want, '?', size);
		want[size] = '\0';
		for (unsigned i = 0; i < 30; i++) {
			unsigned at = (unsigned)rand() % (size + 1);
			unsigned end = at + (unsigned)rand() % (size - at + 1);
			char c = "?*/-+"[rand() % 5], was = "?*/-+"[rand() % 5];

			if (rand() % 2) {
				assert_int_equal(copy_map_set(&map, at, end, c),
						 0);
				memset(want + at, c, end - at);
			} else {
				assert_int_equal(copy_map_turn(&map, at, end,
							       was, c),
						 0);
				for (; at < end; at++)
					if (want[at] == was)
						want[at] = c;
			}
			assert_string_equal(states(), want);
		}
	}
}

static void the_next_area_of_a_state_is_found(void **state)
{
	uint64_t at = 0, end;

	(void)state;
	copy_map_begin(&map, 10);
	copy_map_set(&map, 2, 4, '+');
	copy_map_set(&map, 6, 10, '+');
	assert_true(copy_map_next(&map, &at, &end, '+'));
	assert_true(at == 2 && end == 4);
	at = 3;
	assert_true(copy_map_next(&map, &at, &end, '+'));
	assert_true(at == 3 && end == 4);
	at = 4;
	assert_true(copy_map_next(&map, &at, &end, '+'));
	assert_true(at == 6 && end == 10);
	at = 10;
	assert_false(copy_map_next(&map, &at, &end, '+'));
	at = 0;
	assert_false(copy_map_next(&map, &at, &end, '-'));
}

static void too_many_areas_are_refused(void **state)
{
	uint64_t i;

	(void)state;
	copy_map_begin(&map, 4 * MAP_AREAS);
	/* three areas, then two more with each */
	for (i = 0; i + 1 < MAP_AREAS / 2; i++)
		assert_int_equal(copy_map_set(&map, 4 * i + 1, 4 * i + 2, '-'),
				 0);
	assert_int_equal(map.n, MAP_AREAS - 1);
	assert_int_equal(copy_map_set(&map, 4 * i + 1, 4 * i + 2, '-'),
			 NBD_E_NO_MEMORY);
	assert_int_equal(map.n, MAP_AREAS - 1);
	assert_int_equal(copy_map_set(&map, 4 * i + 1, map.size, '-'), 0);
	assert_int_equal(map.n, MAP_AREAS);
	assert_int_equal(copy_map_set(&map, 1, 2, '?'), 0);
}

/* ---- the text ---- */

static struct map_reader reader;

/* The lines of the text; the result of the first that is refused. */
static int take(const char *text, uint64_t size, uint64_t base, uint32_t align)
{
	char line[256];
	int err = 0;

	copy_map_begin(&map, size);
	reader = (struct map_reader){ .m = &map, .base = base, .align = align };
	while (!err && *text) {
		size_t len = strcspn(text, "\n");

		assert_true(len < sizeof(line));
		memcpy(line, text, len);
		line[len] = '\0';
		text += len + (text[len] == '\n');
		err = copy_map_take(&reader, line);
	}
	return err ? err : copy_map_end(&reader);
}

/* The example of ddrescue's manual, smaller. */
static void a_map_of_ddrescue_is_read(void **state)
{
	static const char text[] =
		"# Mapfile. Created by GNU ddrescue version 1.27\n"
		"# Command line: ddrescue -d -c18 /dev/fd0 fdimage mapfile\n"
		"# Copying non-tried blocks... Pass 1 (forwards)\n"
		"\n"
		"# current_pos  current_status  current_pass\n"
		"0x00000010     ?               1\n"
		"#      pos        size  status\n"
		"0x00000000  0x00000004  +\n"
		"0x00000004  0x00000002  - # two sectors\n"
		"  6  2  /\r\n"
		"010\t04\t*\n"
		"12 0X4 ?";

	(void)state;
	assert_int_equal(take(text, 16, 0, 1), 0);
	assert_string_equal(states(), "++++--//****????");
	assert_false(reader.has_about);
	/* one of before 1.20 */
	assert_int_equal(take("0 +\n0 4 +", 4, 0, 1), 0);
	assert_string_equal(states(), "++++");
}

static void what_is_half_copied_is_not_copied(void **state)
{
	(void)state;
	assert_int_equal(take("0 +\n0 5 +\n5 2 -\n7 9 +", 16, 0, 4), 0);
	assert_string_equal(states(), "++++----++++++++");
	assert_int_equal(take("0 +\n0 5 -\n5 2 +\n7 7 ?\n14 2 +", 16, 0, 4), 0);
	assert_string_equal(states(), "----????????????");
}

static void a_part_of_a_map_is_read(void **state)
{
	(void)state;
	assert_int_equal(take("0 +\n0 6 -\n6 4 +\n10 9 -", 8, 4, 1), 0);
	assert_string_equal(states(), "--++++--");
	assert_int_equal(take("0 +\n4 6 -\n10 2 +", 8, 4, 1), 0);
	assert_string_equal(states(), "------++");
	assert_int_equal(take("0 +\n0 2 +\n2 10 -", 8, 4, 1), 0);
	assert_string_equal(states(), "--------");
}

static void a_map_that_leaves_something_out_is_refused(void **state)
{
	(void)state;
	assert_int_equal(take("", 8, 0, 1), NBD_E_MISMATCH);
	assert_int_equal(take("0 +", 8, 0, 1), NBD_E_MISMATCH);
	assert_int_equal(take("0 +\n0 7 +", 8, 0, 1), NBD_E_MISMATCH);
	assert_int_equal(take("0 +\n1 7 +", 8, 0, 1), NBD_E_MISMATCH);
	assert_int_equal(take("0 +\n5 7 +", 8, 4, 1), NBD_E_MISMATCH);
	assert_int_equal(take("0 +\n0 3 +", 8, 4, 1), NBD_E_MISMATCH);
	assert_int_equal(take("0 +\n0 11 +", 8, 4, 1), NBD_E_MISMATCH);
}

static void anything_else_is_refused(void **state)
{
	static const char *const bad[] = {
		"x",
		"0",
		"0 ",
		"0 x",
		"0 ??",
		"-1 ?",
		"0 ? x",
		"0 ? 1 1",
		"09 ?",
		"0x ?",
		"0 +\n0 4",
		"0 +\n0 4 F",
		"0 +\n0 4 +-",
		"0 +\n0 4 + x",
		"0 +\n0 0 +",
		"0 +\n0 -4 +",
		"0 +\n0 4.0 +",
		"0 +\n0 2 +\n3 2 +",
		"0 +\n0 2 +\n1 2 +",
		"0 +\n0 2 +\n0 2 +",
		"0 +\n0 0x8000000000000000 +",
		"0 +\n0 99999999999999999999 +",
		"0 +\n1 0x7fffffffffffffff +",
		"0 +\n0x7fffffffffffffff 1 +",
		"# nbdboot: source ",
		"# nbdboot: source 1",
		"# nbdboot: source 1 2",
		"# nbdboot: source 1 2 ",
		"# nbdboot: source 1 2 a b",
		"# nbdboot: source 1 2 aaaaaaaaaaaaaaaaaaaaaaaa",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (take(bad[i], 4, 0, 1) != NBD_E_PROTOCOL)
			fail_msg("%s", bad[i]);
}

static void what_is_printed_is_read(void **state)
{
	const struct map_about about = { 64, 16, "r24-0123456789abcdef" };
	const struct map_about none = { 64, 16, "" };
	char text[1024], again[1024];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) - 1 };

	(void)state;
	copy_map_begin(&map, 32);
	copy_map_set(&map, 0, 8, '+');
	copy_map_set(&map, 8, 9, '/');
	copy_map_set(&map, 12, 20, '+');
	copy_map_put(&o, &map, &about);
	text[o.len] = '\0';
	assert_non_null(strstr(text, "\n0x00000019     ?               1\n"));
	assert_non_null(strstr(text, "\n0x0000001c  0x00000008  +\n"));
	strcpy(again, states());
	assert_int_equal(take(text, 32, 16, 1), 0);
	assert_string_equal(states(), again);
	assert_true(reader.has_about);
	assert_int_equal(reader.about.whole, 64);
	assert_int_equal(reader.about.base, 16);
	assert_string_equal(reader.about.identity, about.identity);
	o.len = 0;
	copy_map_put(&o, &map, &none);
	text[o.len] = '\0';
	assert_int_equal(take(text, 32, 16, 1), 0);
	assert_string_equal(reader.about.identity, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_begins_with_nothing_tried),
		cmocka_unit_test(areas_are_set_wherever_they_lie),
		cmocka_unit_test(the_next_area_of_a_state_is_found),
		cmocka_unit_test(too_many_areas_are_refused),
		cmocka_unit_test(a_map_of_ddrescue_is_read),
		cmocka_unit_test(what_is_half_copied_is_not_copied),
		cmocka_unit_test(a_part_of_a_map_is_read),
		cmocka_unit_test(a_map_that_leaves_something_out_is_refused),
		cmocka_unit_test(anything_else_is_refused),
		cmocka_unit_test(what_is_printed_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
