/* SPDX-License-Identifier: BSD-2-Clause */
/* Heads of a cache: what is printed is parsed, and nothing else is. */
#include "boot/cache/cache.h"
#include "boot/mapper/mapper.h"
#include "port/fnv1a.h"
#include "tests/boot/init/image.h"
#include "tests/guard.h"
#include "tests/world/dm.h"
#include "tests/world/say.h"

#define SIZE (60u << 20)

static struct cache_half half, again;
static struct prefetch_list old, work;
static char text[CACHE_HEAD];
static struct nbd_diag d;

static void start(void)
{
	half = (struct cache_half){ .turn = 7,
				    .device = SIZE / 512,
				    .sum = 0x0123456789abcdef };
	half.list.sectors = 65536;
	nbd_fmt(half.list.image, sizeof(half.list.image), "plain-1");
	prefetch_add(&half.list, 8, 16);
	prefetch_add(&half.list, 4096, 8192);
}

static int parse(const char *p, size_t len, unsigned n)
{
	return cache_head_parse(&again, p, len, SIZE, n, &d);
}

/* Whatever it says, with a sum that is right. */
static int parse_text(const char *p)
{
	size_t len = strlen(p);
	uint64_t sum = NBD_FNV1A;

	memset(text, 0, sizeof(text));
	memcpy(text, p, len);
	for (size_t i = 0; i < len; i++)
		sum = nbd_fnv1a(sum, (unsigned char)p[i]);
	nbd_fmt(text + len, sizeof(text) - len, "sum %016llx\n",
		(unsigned long long)sum);
	return parse(text, sizeof(text), 0);
}

static void what_is_printed_is_parsed(void **state)
{
	(void)state;
	start();
	for (unsigned n = 0; n < CACHE_HALVES; n++) {
		cache_head_print(&half, n, text);
		assert_int_equal(parse(text, sizeof(text), n), NBD_OK);
		assert_int_equal(again.turn, 7);
		assert_int_equal(again.sum, half.sum);
		assert_string_equal(again.list.image, "plain-1");
		assert_int_equal(again.list.n, 2);
		assert_int_equal(prefetch_sum(&again.list), 8208);
		/* not for the other half, or another device */
		assert_int_equal(parse(text, sizeof(text), !n), NBD_E_MISMATCH);
		assert_int_equal(again.list.n, 0);
		assert_int_equal(cache_head_parse(&again, text, sizeof(text),
						  SIZE + 512, n, &d),
				 NBD_E_MISMATCH);
	}
}

static void every_other_byte_is_refused(void **state)
{
	(void)state;
	start();
	cache_head_print(&half, 0, text);
	for (size_t i = 0; i < strlen(text); i++) {
		text[i] ^= 1;
		assert_int_not_equal(parse(text, sizeof(text), 0), NBD_OK);
		text[i] ^= 1;
	}
	memset(text, 0, sizeof(text));
	assert_int_equal(parse(text, sizeof(text), 0), NBD_E_NOT_FOUND);
}

#define FIRST "nbdboot-cache 1 0 7 122880 0123456789abcdef\n"
#define LIST  "nbdboot-prefetch 1\nimage 65536 x\n"

static void a_hostile_head_with_a_right_sum_is_refused(void **state)
{
	static const char *const wrong[] = {
		FIRST,
		FIRST LIST "end 0\n",
		FIRST LIST "8 16\n16 8\nend 2\n",
		FIRST LIST "65528 16\nend 1\n",
		FIRST LIST "9223372036854775808 8\nend 1\n",
		FIRST LIST "8 18446744073709551608\nend 1\n",
		FIRST LIST "8 16\nend 2\n",
		/* more than the half has */
		FIRST "nbdboot-prefetch 1\nimage 131072 x\n0 65536\nend 1\n",
		"nbdboot-cache 2 0 7 122880 0123456789abcdef\n" LIST
		"8 16\nend 1\n",
		"nbdboot-cache 1 2 7 122880 0123456789abcdef\n" LIST
		"8 16\nend 1\n",
		"nbdboot-cache 1 00 7 122880 0123456789abcdef\n" LIST
		"8 16\nend 1\n",
		"nbdboot-cache 1 0 7 9223372036854775808 0123456789abcdef\n" LIST
		"8 16\nend 1\n",
		"nbdboot-cache 1 0 7 122880 0123456789ABCDEF\n" LIST
		"8 16\nend 1\n",
		"nbdboot-cache 1 0 7 122880\n",
	};

	(void)state;
	assert_int_equal(parse_text(FIRST LIST "8 16\nend 1\n"), NBD_OK);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(parse_text(wrong[i]), NBD_E_MISMATCH);
		assert_int_equal(again.list.n, 0);
	}
}

static void a_text_without_an_end_is_not_left(void **state)
{
	struct guard g = guard_new(CACHE_HEAD);
	char *p = guard_end(&g, CACHE_HEAD);

	(void)state;
	start();
	cache_head_print(&half, 0, p);
	memset(p + strlen(p), '9', CACHE_HEAD - strlen(p));
	assert_int_equal(parse(p, CACHE_HEAD, 0), NBD_E_MISMATCH);
	for (size_t len = 0; len < 64; len++)
		assert_int_not_equal(parse(guard_end(&g, len), len, 0), NBD_OK);
}

/* Nothing before it is read, either, as the sanitizers see. */
static void a_head_that_is_cut_is_refused(void **state)
{
	size_t len;

	(void)state;
	start();
	cache_head_print(&half, 0, text);
	for (len = strlen(text) - 1; len >= sizeof("nbdboot-cache ") - 1;
	     len--) {
		char *p = malloc(len + 1);

		assert_non_null(p);
		memcpy(p, text, len);
		p[len] = '\0';
		assert_int_equal(parse(p, len + 1, 0), NBD_E_MISMATCH);
		free(p);
	}
}

static void halves_lie_between_the_ends(void **state)
{
	(void)state;
	assert_int_equal(cache_room(0), 0);
	assert_int_equal(cache_room((4u << 20) - 1), 0);
	assert_int_equal(cache_room(4u << 20), 1536);
	assert_int_equal(cache_head_at(SIZE, 0), CACHE_END);
	assert_int_equal(cache_data_at(SIZE, 0) + cache_room(SIZE) * 512,
			 cache_head_at(SIZE, 1));
	assert_int_equal(cache_data_at(SIZE, 1) + cache_room(SIZE) * 512,
			 SIZE - CACHE_END);
}

static void of_what_has_no_room_the_longest_goes_first(void **state)
{
	(void)state;
	start();
	prefetch_add(&half.list, 65528, 8);
	assert_true(cache_choose(&half.list, NULL, 1000, &work));
	assert_int_equal(half.list.n, 3);
	assert_int_equal(half.list.e[1].start, 4096);
	assert_int_equal(half.list.e[1].len, 976);
	assert_true(cache_choose(&half.list, NULL, 24, &work));
	assert_int_equal(half.list.n, 2);
	assert_false(cache_choose(&half.list, NULL, 0, &work));
	/* the end of an image of an odd size */
	half.list = (struct prefetch_list){ .sectors = 13 };
	prefetch_add(&half.list, 0, 13);
	assert_true(cache_choose(&half.list, NULL, 12, &work));
	assert_int_equal(half.list.e[0].len, 8);
	assert_false(cache_choose(&half.list, NULL, 7, &work));
}

static void what_earlier_boots_have_read_stays_for_a_while(void **state)
{
	(void)state;
	start();
	old = half.list;
	assert_false(cache_choose(&half.list, &old, 65536, &work));
	/* a hundredth more is not worth it */
	prefetch_add(&half.list, 20000, 80);
	assert_false(cache_choose(&half.list, &old, 65536, &work));
	prefetch_add(&half.list, 20000, 160);
	assert_true(cache_choose(&half.list, &old, 65536, &work));
	half.list = (struct prefetch_list){ .sectors = 65536 };
	prefetch_add(&half.list, 30000, 8192);
	assert_false(cache_choose(&half.list, &old, 0, &work));
	half.list = (struct prefetch_list){ .sectors = 65536 };
	prefetch_add(&half.list, 30000, 9000);
	assert_true(cache_choose(&half.list, &old, 65536, &work));
	assert_int_equal(half.list.n, 3);
	/* all of it is more than twice of this boot */
	half.list = (struct prefetch_list){ .sectors = 65536 };
	prefetch_add(&half.list, 30000, 800);
	assert_true(cache_choose(&half.list, &old, 65536, &work));
	assert_int_equal(half.list.n, 1);
}

bool __wrap_mapper_cover_is_corrupt(struct dm *dm, const char *disk);
bool __wrap_mapper_cover_is_corrupt(struct dm *dm, const char *disk)
{
	(void)dm, (void)disk;
	return false;
}

static bool is_blank(int fd, uint64_t from, uint64_t to)
{
	(void)fd, (void)from, (void)to;
	return true;
}

/* A sector that cannot be read may be written: the disk has others for it. */
static void a_head_that_cannot_be_read_is_written_again(void **state)
{
	static const struct clone_eyes eyes = { .is_blank = is_blank };
	/* the second half begins behind the end */
	int disk = image((off_t)cache_head_at(SIZE, 1));
	struct cache_fill f = {
		.half = -1,
		.eyes = &eyes,
		.disk = { .path = "/dev/vda", .fd = disk, .size = SIZE }
	};

	(void)state;
	cache_label(text, SIZE);
	put(disk, 0, text, CACHE_LABEL);
	start();
	cache_head_print(&half, 0, text);
	put(disk, (off_t)cache_head_at(SIZE, 0), text, sizeof(text));
	/* nothing to write, once it is known where */
	half.list.n = 0;
	assert_int_equal(cache_fill_run(&f, &half.list, &d), NBD_OK);
	assert_non_null(strstr(world.said, "has all that"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_printed_is_parsed),
		cmocka_unit_test(every_other_byte_is_refused),
		cmocka_unit_test(a_hostile_head_with_a_right_sum_is_refused),
		cmocka_unit_test(a_text_without_an_end_is_not_left),
		cmocka_unit_test(a_head_that_is_cut_is_refused),
		cmocka_unit_test(halves_lie_between_the_ends),
		cmocka_unit_test(of_what_has_no_room_the_longest_goes_first),
		cmocka_unit_test(
			what_earlier_boots_have_read_stays_for_a_while),
		cmocka_unit_test(a_head_that_cannot_be_read_is_written_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
