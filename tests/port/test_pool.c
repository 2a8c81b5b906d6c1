/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of mbedTLS. */
#include "tests/unit.h"
#include "port/mbedtls/pool.c"

#include <signal.h>
#include <sys/wait.h>

static bool is_zero(const unsigned char *p, size_t len)
{
	while (len && !*p)
		p++, len--;
	return !len;
}

/* One free block again, and all of it zero but its header. */
static void assert_empty(void)
{
	assert_ptr_equal(pool.list.next, pool.all);
	assert_null(pool.all[0].next);
	assert_int_equal(pool.all[0].size, sizeof(pool.all));
	assert_true(is_zero((unsigned char *)(pool.all + 1),
			    sizeof(pool.all) - UNIT));
}

static void memory_is_zeroed_aligned_and_apart(void **state)
{
	unsigned char *p[100];

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		p[i] = pool_calloc(i, 7);
		assert_non_null(p[i]);
		assert_int_equal((uintptr_t)p[i] % 16, 0);
		assert_true(is_zero(p[i], 7 * i));
		memset(p[i], (int)i + 1, 7 * i);
	}
	for (unsigned i = 0; i < 100; i++)
		for (unsigned k = 0; k < 7 * i; k++)
			assert_int_equal(p[i][k], i + 1);
	for (unsigned i = 0; i < 100; i++)
		pool_free(p[i]);
	assert_empty();
}

/* A schedule of 200,000 steps; what is handed out must be zero, and whole. */
static void any_order_of_calls_leaves_one_free_block(void **state)
{
	static struct {
		unsigned char *p;
		size_t len;
	} held[64];
	uint32_t r = 1;

	(void)state;
	for (unsigned step = 0; step < 200000; step++) {
		unsigned i;

		r = r * 1664525 + 1013904223;
		i = r >> 26;
		for (size_t k = 0; k < held[i].len; k++)
			assert_int_equal(held[i].p[k], i + 1);
		pool_free(held[i].p);
		held[i].len = (r >> 8 & 0xff) * (r >> 16 & 7);
		held[i].p = r & 0x80 ? pool_calloc(1, held[i].len) : NULL;
		held[i].len = held[i].p ? held[i].len : 0;
		assert_true(is_zero(held[i].p, held[i].len));
		memset(held[i].p ? held[i].p : (void *)&r, (int)i + 1,
		       held[i].len);
	}
	for (unsigned i = 0; i < 64; i++)
		pool_free(held[i].p);
	assert_empty();
}

static void without_room_the_result_is_null(void **state)
{
	void *all, *none;

	(void)state;
	assert_null(pool_calloc(1, SIZE));
	assert_null(pool_calloc(SIZE_MAX, SIZE_MAX));
	assert_null(pool_calloc(SIZE_MAX / 16 + 2, 16));
	assert_null(pool_calloc(1, SIZE_MAX));
	all = pool_calloc(1, SIZE - UNIT);
	assert_non_null(all);
	none = pool_calloc(0, 0);
	assert_null(none);
	pool_free(all);
	pool_free(NULL);
	assert_empty();
}

static void memory_that_is_freed_twice_ends_the_program(void **state)
{
	void *p = pool_calloc(1, 100);
	int status;

	(void)state;
	pool_free(p);
	if (fork() == 0) {
		signal(SIGILL, SIG_DFL); /* cmocka has a handler */
		signal(SIGTRAP, SIG_DFL);
		pool_free(p);
		_exit(0);
	}
	assert_true(wait(&status) > 0);
	assert_true(WIFSIGNALED(status));
	assert_empty();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
		cmocka_unit_test(any_order_of_calls_leaves_one_free_block),
		cmocka_unit_test(without_room_the_result_is_null),
		cmocka_unit_test(memory_that_is_freed_twice_ends_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
