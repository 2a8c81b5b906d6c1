/* SPDX-License-Identifier: BSD-2-Clause */
/* The pieces of a source whose size nobody knows. */
#include "boot/copy/copy.h"

#include "tests/unit.h"

#define BLOCK 4096u

/* To a server with blocks: the length of a pipe is UINT64_MAX, no multiple. */
static void a_pipe_begins_with_a_whole_piece(void **state)
{
	struct nbd_diag d;
	struct side src, dst = { .align = BLOCK, .piece = COPY_PIECE };
	struct scan s = {
		.src = &src, .dst = &dst, .align = BLOCK, .end = UINT64_MAX
	};
	struct task t;
	bool same;

	(void)state;
	assert_int_equal(copy_side_open_file(&src, "/dev/null", false, &d), 0);
	assert_true(src.is_pipe);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(copy_scan_next(&s, &t, &same, &d), 0);
		assert_int_equal(t.offset, i * COPY_PIECE);
		assert_int_equal(t.len, COPY_PIECE);
		assert_false(t.zero || same);
	}
	src.ops->close(&src);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pipe_begins_with_a_whole_piece),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
