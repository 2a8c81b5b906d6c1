/* SPDX-License-Identifier: BSD-2-Clause */
/* The cache: what it returns is what the disk has, and it asks seldom. */
#include "boot/uefi/cache.h"

#include <stdlib.h>

#include "tests/unit.h"

#define SIZE (3u << 20)

static unsigned char disk[SIZE], memory[UEFI_CACHE_SLOTS * UEFI_CACHE_SLOT];
static unsigned fetches;
static size_t longest;
static int fails;

static int fetch(void *ctx, uint64_t offset, void *buf, size_t len)
{
	assert_ptr_equal(ctx, disk);
	assert_true(offset <= SIZE && len <= SIZE - offset);
	fetches++;
	if (len > longest)
		longest = len;
	if (fails)
		return fails;
	memcpy(buf, disk + offset, len);
	return 0;
}

static struct uefi_cache c;

static int setup(void **state)
{
	(void)state;
	srand(1);
	for (size_t i = 0; i < SIZE; i++)
		disk[i] = (unsigned char)rand();
	c = (struct uefi_cache){
		.mem = memory, .size = SIZE, .fetch = fetch, .ctx = disk
	};
	fetches = 0;
	longest = 0;
	fails = 0;
	return 0;
}

static void read_at(uint64_t offset, size_t len)
{
	static unsigned char buf[SIZE];

	assert_int_equal(uefi_cache_read(&c, offset, buf, len), 0);
	assert_memory_equal(buf, disk + offset, len);
}

static void a_repeated_read_asks_once(void **state)
{
	(void)state;
	read_at(512, 512);
	read_at(1024, 512);
	read_at(0, 65536 - 1);
	assert_int_equal(fetches, 1);
}

static void sequential_reads_are_read_ahead(void **state)
{
	(void)state;
	for (uint64_t at = 0; at < SIZE; at += 4096)
		read_at(at, 4096);
	assert_int_equal(longest, UEFI_CACHE_SLOT);
	assert_true(fetches <= 1 + SIZE / UEFI_CACHE_SLOT + 1);
}

static void a_long_read_is_one_request(void **state)
{
	(void)state;
	read_at(7 * 512, 1 << 20);
	assert_int_equal(fetches, 1);
	assert_int_equal(longest, 1 << 20);
}

static void what_was_written_is_read(void **state)
{
	(void)state;
	read_at(0, 4096);
	memset(disk + 512, 7, 512);
	uefi_cache_drop(&c, 512, 512);
	read_at(0, 4096);
	assert_int_equal(fetches, 2);
	/* what does not overlap stays */
	uefi_cache_drop(&c, UEFI_CACHE_LINE, 512);
	read_at(0, 4096);
	assert_int_equal(fetches, 2);
}

static void a_failed_read_leaves_nothing(void **state)
{
	char buf[512];

	(void)state;
	fails = -5;
	assert_int_equal(uefi_cache_read(&c, 0, buf, sizeof(buf)), -5);
	fails = 0;
	read_at(0, 512);
	assert_int_equal(fetches, 2);
}

static void any_reads_and_writes_agree_with_the_disk(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint64_t at = (unsigned)rand() % (SIZE / 512) * 512ull;
		size_t len = (size_t)(rand() % 200 + 1) * 512;

		if (len > SIZE - at)
			len = SIZE - at;
		if (rand() % 4) {
			read_at(at, len);
		} else {
			memset(disk + at, i & 0xff, len);
			uefi_cache_drop(&c, at, len);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_repeated_read_asks_once, setup),
		cmocka_unit_test_setup(sequential_reads_are_read_ahead, setup),
		cmocka_unit_test_setup(a_long_read_is_one_request, setup),
		cmocka_unit_test_setup(what_was_written_is_read, setup),
		cmocka_unit_test_setup(a_failed_read_leaves_nothing, setup),
		cmocka_unit_test_setup(any_reads_and_writes_agree_with_the_disk,
				       setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
