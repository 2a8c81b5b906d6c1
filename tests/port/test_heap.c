/* SPDX-License-Identifier: BSD-2-Clause */
/* The heap of static programs, under other names than those of this one's. */
#include "tests/unit.h"

#include <errno.h>
#include <stdlib.h>

void *heap_calloc(size_t n, size_t size);
void heap_free(void *p);

#define calloc heap_calloc
#define free   heap_free
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "port/posix/heap.c"
#undef calloc
#undef free

static void assert_none(size_t n, size_t size)
{
	errno = 0;
	assert_null(heap_calloc(n, size));
	assert_int_equal(errno, ENOMEM);
}

static void the_one_block_is_zero_each_time(void **state)
{
	unsigned char *p;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		p = heap_calloc(1, SIZE);
		assert_non_null(p);
		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		for (unsigned k = 0; k < SIZE; k++)
			assert_int_equal(p[k], 0);
		memset(p, 0xa5, SIZE);
		heap_free(p);
	}
}

static void there_is_no_second_block(void **state)
{
	void *p = heap_calloc(2, 8);

	(void)state;
	assert_non_null(p);
	assert_none(1, 1);
	heap_free(NULL);
	assert_none(1, 1);
	heap_free(p);
	p = heap_calloc(1, 1);
	assert_non_null(p);
	heap_free(p);
}

static void too_much_is_refused(void **state)
{
	(void)state;
	assert_none(1, SIZE + 1);
	assert_none(SIZE, 2);
	assert_none(SIZE_MAX / 2, 3);
	heap_free(heap_calloc(SIZE, 0));
	heap_free(heap_calloc(0, SIZE));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_one_block_is_zero_each_time),
		cmocka_unit_test(there_is_no_second_block),
		cmocka_unit_test(too_much_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
