/* SPDX-License-Identifier: BSD-2-Clause */
/* What a fetch was good for, written and read again. */
#include "boot/prefetch/seen.h"
#include "port/linux/file.h"
#include "tests/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct prefetch_seen seen = { { 3, 1031, 950, 46000, 43000, 44000,
					     1000, 0, UINT32_MAX, 0 } };

static void what_is_written_is_read(void **state)
{
	char top[] = "/tmp/test_seen.XXXXXX", text[512];
	struct prefetch_seen s;
	int run, n;

	(void)state;
	assert_non_null(mkdtemp(top));
	run = open(top, O_PATH | O_CLOEXEC);
	assert_int_equal(mkdirat(run, "nbdboot", 0700), 0);
	assert_int_equal(prefetch_seen_write(&seen, run), 0);
	n = file_read(run, PREFETCH_SEEN, text, sizeof(text));
	assert_in_range(n, 1, sizeof(text) - 2);
	assert_true(prefetch_seen_parse(&s, text));
	assert_memory_equal(&s, &seen, sizeof(s));
	/* no part of it is taken for all of it */
	for (; n > 0; n--) {
		text[n - 1] = '\0';
		assert_false(prefetch_seen_parse(&s, text));
	}
	unlinkat(run, PREFETCH_SEEN, 0);
	unlinkat(run, "nbdboot", AT_REMOVEDIR);
	close(run);
	rmdir(top);
}

static void it_is_a_sentence(void **state)
{
	char text[256];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) - 1 };
	struct prefetch_seen cached = seen, near = seen;

	(void)state;
	prefetch_seen_print(&seen, &o);
	text[o.len] = '\0';
	assert_string_equal(text, "950 of 1031 reads came from RAM, 1000 of "
				  "44000 KiB were fetched in vain, all "
				  "reads took 4294967295 ms");
	cached.n[PREFETCH_CACHE_KIB] = 45900;
	o.len = 0;
	prefetch_seen_print(&cached, &o);
	text[o.len] = '\0';
	assert_string_equal(text, "45900 of 46000 KiB came from the cache, "
				  "all reads took 4294967295 ms");
	near.n[PREFETCH_NEAR_US] = 1250;
	o.len = 0;
	prefetch_seen_print(&near, &o);
	text[o.len] = '\0';
	assert_string_equal(text, "nothing was fetched, as the server answered "
				  "a read in 1.2 ms; all 1031 reads took "
				  "4294967295 ms");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(it_is_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
