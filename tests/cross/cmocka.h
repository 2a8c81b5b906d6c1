/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As much of cmocka as the tests of core/ use, for CPUs that have a compiler
 * and an emulator here but no such library.  A failure ends the program.
 */
#ifndef TESTS_CROSS_CMOCKA_H
#define TESTS_CROSS_CMOCKA_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
	const char *name;
	void (*test)(void **state);
	int (*setup)(void **state), (*teardown)(void **state);
};

#define cmocka_unit_test(f)       \
	{                         \
#f, f, NULL, NULL \
	}
#define cmocka_unit_test_setup_teardown(f, s, t) \
	{                                        \
#f, f, s, t                      \
	}

static inline void cross_check(int yes, const char *what, const char *file,
			       int line)
{
	if (yes)
		return;
	printf("# %s:%d: %s\n", file, line, what);
	exit(1);
}

#define CROSS_CHECK(x)	       cross_check((x), #x, __FILE__, __LINE__)
#define assert_true(x)	       CROSS_CHECK(!!(x))
#define assert_false(x)	       CROSS_CHECK(!(x))
#define assert_null(p)	       CROSS_CHECK((p) == NULL)
#define assert_non_null(p)     CROSS_CHECK((p) != NULL)
#define assert_ptr_equal(a, b) CROSS_CHECK((const void *)(a) == (b))
#define assert_int_equal(a, b) CROSS_CHECK((uint64_t)(a) == (uint64_t)(b))
#define assert_in_range(v, lo, hi)                     \
	CROSS_CHECK((uint64_t)(v) >= (uint64_t)(lo) && \
		    (uint64_t)(v) <= (uint64_t)(hi))
#define assert_memory_equal(a, b, n)  CROSS_CHECK(memcmp((a), (b), (n)) == 0)
#define assert_string_equal(a, b)     CROSS_CHECK(strcmp((a), (b)) == 0)
#define assert_string_not_equal(a, b) CROSS_CHECK(strcmp((a), (b)) != 0)

#define fail_msg(...) \
	(printf("# " __VA_ARGS__), cross_check(0, "fail", __FILE__, __LINE__))

static inline int cross_run(const struct CMUnitTest *t, size_t n)
{
	printf("1..%zu\n", n);
	for (size_t i = 0; i < n; i++, t++) {
		void *state = NULL;

		/* told before, so that a test that ends it all has a name */
		fprintf(stderr, "# %s\n", t->name);
		if (t->setup)
			cross_check(t->setup(&state) == 0, "setup", t->name, 0);
		t->test(&state);
		if (t->teardown)
			t->teardown(&state);
		printf("ok %zu - %s\n", i + 1, t->name);
	}
	return 0;
}

#define cmocka_run_group_tests(t, s, d) cross_run(t, sizeof(t) / sizeof((t)[0]))
#define cmocka_run_group_tests_name(n, t, s, d) \
	cross_run(t, sizeof(t) / sizeof((t)[0]))

#endif
