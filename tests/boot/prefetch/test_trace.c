/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of the kernel's trace. */
#include "boot/prefetch/trace.h"
#include "tests/unit.h"

static struct prefetch_trace trace;
static struct prefetch_list list;

static unsigned take(const char *text)
{
	return prefetch_trace_take(&trace, &list, text, strlen(text));
}

static void start(void)
{
	list = (struct prefetch_list){ .sectors = 100000 };
	trace = (struct prefetch_trace){ .pipe = -1, .instances = -1 };
}

static void reads_are_taken_from_the_trace(void **state)
{
	(void)state;
	start();
	assert_int_equal(take("block_bio_queue: 253,0 R 0 + 8 [mount]\n"
			      "block_bio_queue: 253,0 RA 64 + 256 [a b]\n"
			      "block_bio_queue: 253,0 RM 4096 + 8 [+ 9]\n"),
			 3);
	assert_int_equal(list.n, 3);
	assert_int_equal(list.e[1].start, 64);
	assert_int_equal(list.e[1].len, 256);
	assert_int_equal(list.e[2].start, 4096);
	assert_int_equal(list.e[2].len, 8);
}

/* Its disk has reads of other partitions, too. */
static void reads_of_a_partition_begin_where_that_does(void **state)
{
	(void)state;
	start();
	trace.skip = 2048;
	assert_int_equal(take("block_bio_queue: 43,0 R 0 + 8 [kworker]\n"
			      "block_bio_queue: 43,0 R 2040 + 8 [udevd]\n"
			      "block_bio_queue: 43,0 R 2048 + 8 [mount]\n"
			      "block_bio_queue: 43,0 R 102032 + 32 [a]\n"
			      "block_bio_queue: 43,0 R 102048 + 8 [udevd]\n"),
			 3);
	assert_int_equal(list.n, 2);
	assert_int_equal(list.e[0].start, 0);
	assert_int_equal(list.e[0].len, 8);
	assert_int_equal(list.e[1].start, 99984);
	assert_int_equal(list.e[1].len, 16);
}

static void other_lines_are_left_out(void **state)
{
	(void)state;
	start();
	assert_int_equal(take("CPU:0 [LOST 12 EVENTS]\n\n"
			      "block_bio_queue: \n"
			      "block_bio_queue: 253,0\n"
			      "block_bio_queue: 253,0 R\n"
			      "block_bio_queue: 253,0 R \n"
			      "block_bio_queue: 253,0 R 8\n"
			      "block_bio_queue: 253,0 R 8 \n"
			      "block_bio_queue: 253,0 R 8 +\n"
			      "block_bio_queue: 253,0 R 8 + \n"
			      "block_bio_queue: 253,0 R 8 + 8\n"
			      "block_bio_queue: 253,0 R -8 + 8 [a]\n"
			      "block_bio_queue: 253,0 R "
			      "99999999999999999999999 + 8 [a]\n"
			      "block_rq_issue: 253,0 R 8 + 8 [a]\n"),
			 0);
	assert_int_equal(list.n, 0);
}

static void a_line_comes_in_any_parts(void **state)
{
	static const char text[] = "block_bio_queue: 253,0 R 80 + 8 [a]\n"
				   "block_bio_queue: 253,0 R 160 + 8 [b]\n";
	size_t len = strlen(text);

	(void)state;
	for (size_t cut = 0; cut <= len; cut++) {
		start();
		assert_int_equal(prefetch_trace_take(&trace, &list, text, cut) +
					 prefetch_trace_take(&trace, &list,
							     text + cut,
							     len - cut),
				 2);
		assert_int_equal(list.n, 2);
	}
}

static void a_line_without_an_end_is_cut(void **state)
{
	static char text[100000];

	(void)state;
	start();
	memset(text, 'x', sizeof(text));
	assert_int_equal(prefetch_trace_take(&trace, &list, text, sizeof(text)),
			 0);
	assert_true(trace.len < sizeof(trace.buf));
	assert_int_equal(take("\nblock_bio_queue: 253,0 R 80 + 8 [a]\n"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_are_taken_from_the_trace),
		cmocka_unit_test(reads_of_a_partition_begin_where_that_does),
		cmocka_unit_test(other_lines_are_left_out),
		cmocka_unit_test(a_line_comes_in_any_parts),
		cmocka_unit_test(a_line_without_an_end_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
